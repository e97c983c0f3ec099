import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command, CommanderError } from 'commander';
import { ConfigurationError, diagnosis, inputFiles } from '../core/index.js';
import { holdYoungGeneration } from '../process/collector-flags.js';
import type { StartOptions } from '../process/start-options.js';
import type { ExitCode, Terminal } from '../process/terminal.js';
import {
  type ConfigFlags,
  collect,
  type ImportFlags,
  type MockFlags,
  type ReplayFlags,
  SOURCE_OPTIONS,
  type SourceFlags,
  sourceFrom,
  type TryFlags,
} from './flags.js';
import { refusedPlace } from './refused-place.js';

const NEXT_STEPS = `
Next steps:
  soapstone start                   the demonstration: a legacy backend with GraphQL in front
  soapstone try WSDL                the same for a WSDL of yours, a path or an address
  soapstone import WSDL -o FOLDER   a configuration for it, to keep`;

const DEFAULT_FILE = 'config/soapstone.yaml';

/** Runs one command line (without the names of node and of the script) to its end. Never throws. */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let code: ExitCode = 0;
  const program = commands(terminal, (result) => {
    code = result;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    return explain(error, terminal);
  }
}

interface ProgramContext {
  readonly program: Command;
  readonly terminal: Terminal;
  readonly finish: (code: ExitCode) => void;
}

/** Each command loads its own modules only: all of them take half a second of processor time. */
function commands(terminal: Terminal, finish: (code: ExitCode) => void): Command {
  const program = new Command('soapstone')
    .description('A perimeter gateway for SOAP backends, with GraphQL in front.')
    .version(inputFiles.packageVersion(), '-V, --version', 'print the version')
    .addHelpText('after', NEXT_STEPS)
    .showHelpAfterError('Add --help for what it takes.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.error(text.trimEnd()),
    });
  const context: ProgramContext = { program, terminal, finish };
  addGatewayCommands(context);
  addAuditCommand(context);
  addImportCommands(context);
  addOperatorCommands(context);
  return program;
}

/** Adds the commands that load a configuration. */
function addGatewayCommands({ program, terminal, finish }: ProgramContext): void {
  const withConfig = (command: Command): Command =>
    command.option(
      '-c, --config <file>',
      `the configuration (default: ${DEFAULT_FILE}, else the demonstration)`,
    );
  const configFile = ({ config }: ConfigFlags): string => config ?? defaultFile(terminal);

  withConfig(program.command('start').description('run the gateway'))
    .option('--workers <number>', 'processes, or auto for one on each processor')
    .option('--listen <address>', 'where callers reach it, in place of `listen`')
    .option('--admin <address>', 'where operators reach it, in place of `admin`')
    .option('--demo <address>', 'of the bundled backend, in place of `demo.listen`')
    .action(async ({ config, ...options }: ConfigFlags & StartOptions) => {
      // Most of what the start of a small gateway allocates are its modules.
      holdYoungGeneration();
      const { start } = await import('../process/start.js');
      finish(await start(config ?? defaultFile(terminal), options, terminal));
    });
  withConfig(
    program.command('check').description('load and compile everything, and report what is wrong'),
  )
    .option(
      '--explain-field <name>',
      'one field or argument instead: Order.total, "Query.orders(since)"',
    )
    .action(async (options: ConfigFlags & { explainField?: string }) => {
      if (options.explainField !== undefined) {
        const { explainField } = await import('./explain-field.js');
        finish(await explainField(configFile(options), options.explainField, terminal));
        return;
      }
      const { check } = await import('./check.js');
      finish(await check(configFile(options), terminal));
    });
  withConfig(program.command('schema').description('print the GraphQL schema'))
    .option('--federation', 'as the SDL of the subgraph, for the composition of a supergraph')
    .action(async (options: ConfigFlags & { federation?: true }) => {
      const { schema } = await import('./schema.js');
      finish(await schema(configFile(options), options.federation === true, terminal));
    });
  withConfig(
    program
      .command('docs')
      .description('write the schema as pages: Markdown, and one HTML page with a search'),
  )
    .requiredOption('-o, --output <directory>', 'where to write')
    .action(async (options: ConfigFlags & { output: string }) => {
      const { docs } = await import('./docs/docs.js');
      finish(await docs(configFile(options), options.output, terminal));
    });
  withConfig(
    program
      .command('openapi')
      .description('print the OpenAPI document of the operations over REST'),
  )
    .option('--yaml', 'as YAML')
    .action(async (options: ConfigFlags & { yaml?: boolean }) => {
      const { openapi } = await import('./openapi.js');
      finish(await openapi(configFile(options), options.yaml === true, terminal));
    });
  withConfig(
    program.command('explain').description('print what a query would send, and send nothing'),
  )
    .argument('<query>', 'the GraphQL document')
    .option('--variables <json>', 'its variables')
    .action(async (query: string, options: ConfigFlags & { variables?: string }) => {
      const { explainQuery } = await import('./explain.js');
      finish(await explainQuery(configFile(options), query, options.variables ?? null, terminal));
    });
}

/** Adds the command for the record of decisions. */
function addAuditCommand({ program, terminal, finish }: ProgramContext): void {
  program
    .command('audit')
    .description('the record of decisions')
    .command('verify')
    .description('verify the hash chains of audit files, the oldest first')
    .argument('<files...>', 'the files')
    .option('--continued', 'chains may begin in earlier files, which are not given')
    .option('--key-file <file>', 'the file of `audit.key`: every line must be signed with it')
    .action(
      async (files: readonly string[], options: { continued?: boolean; keyFile?: string }) => {
        const { verifyAudit } = await import('./audit.js');
        const { continued: isContinued = false, keyFile = null } = options;
        finish(await verifyAudit(files, { isContinued, keyFile }, terminal));
      },
    );
}

/** Adds the commands that write or try a configuration. */
function addImportCommands({ program, terminal, finish }: ProgramContext): void {
  withSource(program.command('import'))
    .description('copy a WSDL and write a configuration for it')
    .argument('<wsdl>', 'path or http(s) address of the WSDL')
    .option('-o, --output <directory>', 'where to write')
    .option('--into <file>', 'add the services to this configuration instead')
    .option('--name <name>', 'name of the first service')
    .option(
      '--port <name>',
      'a port of the WSDL; may be given again; without it every port type is offered',
      collect,
      [],
    )
    .option('--json', 'print the report as JSON', false)
    .option('--force', 'replace a configuration that is there already', false)
    .action(async (wsdl: string, options: ImportFlags, command: Command) => {
      const {
        output: directory = null,
        into: file = null,
        name = null,
        port: ports,
        force,
        json,
      } = options;
      const source = sourceFrom(options);
      if (file !== null) {
        if (force) {
          return command.error(
            "error: option '--force' cannot be used with option '--into <file>'",
          );
        }
        const { importInto } = await import('./import/import-into.js');
        return finish(
          await importInto(wsdl, { file, directory, name, ports, json, source }, terminal),
        );
      }
      if (directory === null) {
        return command.error(
          "error: required option '-o, --output <directory>' or '--into <file>' not specified",
        );
      }
      const { importWsdl } = await import('./import/import.js');
      return finish(
        await importWsdl(wsdl, { directory, name, ports, force, json, source }, terminal),
      );
    });
  withSource(program.command('try'))
    .description(
      'import a WSDL into a temporary folder and run the gateway in front of its services',
    )
    .argument('<wsdl>', 'path or http(s) address of the WSDL')
    .option(
      '--listen <address>',
      'where callers reach it, such as 0.0.0.0:4000; the admin address stays of this machine',
    )
    .option('--url <url>', 'the address of the backend, instead of the one in the WSDL')
    .action(async (wsdl: string, options: TryFlags) => {
      const { tryWsdl } = await import('./try.js');
      const { listen = null, url = null } = options;
      finish(await tryWsdl(wsdl, { listen, url, source: sourceFrom(options) }, terminal));
    });
  withSource(program.command('mock'))
    .description('answer as the backend of a WSDL would, by its schema or from recorded replies')
    .argument('<wsdl>', 'path or http(s) address of the WSDL')
    .option('--listen <address>', 'where it answers', '127.0.0.1:8081')
    .option('--answers <folder>', 'a recording, or replies by operation: GetOrder.xml')
    .option('-c, --config <file>', 'a configuration: values that it converts have texts it knows')
    .action(async (wsdl: string, options: MockFlags) => {
      const { mock } = await import('./mock/mock.js');
      const { listen, answers = null, config = null } = options;
      finish(await mock(wsdl, { listen, answers, config, source: sourceFrom(options) }, terminal));
    });
  program
    .command('replay')
    .description(
      'send the recorded reads of a folder to a backend, and compare its replies by meaning; ' +
        '1 when one differs',
    )
    .argument('<folder>', 'the folder that `record` of a service names')
    .requiredOption('--against <url>', 'the address of the backend')
    .option('--json', 'print the report as JSON', false)
    .option('--junit <file>', 'write the report as JUnit XML')
    .option('--header <line>', `a header field of each request: 'Name: value'`, collect, [])
    .option('-c, --config <file>', 'a configuration: the credentials of the recorded service')
    .option('--replaced', 'send requests whose values were replaced', false)
    .option('--rate <number>', 'requests a second; without it as fast as replies come')
    .option('--writes <operations>', 'operations that write and are sent all the same: A,B')
    .option('--ignore <path>', 'a path that is not compared: Response/order/serial', collect, [])
    .action(async (folder: string, options: ReplayFlags) => {
      const { replayRecording } = await import('./replay/replay.js');
      const { writes = '', config = null, junit = null, rate = null, ...others } = options;
      const written = writes.split(',').filter((name) => name !== '');
      finish(
        await replayRecording(
          folder,
          { ...others, config, junit, rate, writes: written },
          terminal,
        ),
      );
    });
  program
    .command('init')
    .description('write a configuration with comments')
    .argument('[file]', 'where to', DEFAULT_FILE)
    .action(async (file: string) => {
      const { init } = await import('./init.js');
      finish(await init(file, terminal));
    });
}

/** Adds the commands that ask a gateway, or that tell operators what they need to configure one. */
function addOperatorCommands({ program, terminal, finish }: ProgramContext): void {
  program
    .command('suggest')
    .description(
      'print sizes of lists and replies for the configuration, from what a gateway has counted',
    )
    .argument(
      '<metrics>',
      'address of its metrics (http://127.0.0.1:4001/metrics), or a file that holds them',
    )
    .action(async (metrics: string) => {
      const { suggest } = await import('./operator/suggest.js');
      finish(await suggest(metrics, terminal));
    });
  program
    .command('usage')
    .description('print which client uses which operations, fields and arguments')
    .argument(
      '<address>',
      'the admin address of a gateway (http://127.0.0.1:4001), or a file of --json',
    )
    .option('--json', 'print the report as JSON, for a file', false)
    .action(async (address: string, { json }: { json: boolean }) => {
      const { usage } = await import('./operator/usage.js');
      finish(await usage(address, json, terminal));
    });
  program
    .command('rules')
    .description('print what a refusal means, why requests are refused with it, and the remedy')
    .argument(
      '[code]',
      'the code of a Fault, an error or a log line; without it all codes are listed',
    )
    .action(async (code: string | undefined) => {
      const { rules } = await import('./operator/rules.js');
      finish(rules(code ?? null, terminal));
    });
  program
    .command('hash-password')
    .description('print the hash of a password, read from standard input, for clients.basic')
    .action(async () => {
      const { printPasswordHash } = await import('./hash-password.js');
      finish(await printPasswordHash(process.stdin, terminal));
    });
  withSource(program.command('diff'))
    .description(
      'print the changes between two WSDLs, or schemas; 1 when one of them breaks clients',
    )
    .argument('<old>', 'path or address of the WSDL callers know, or a schema: NAME.graphql')
    .argument('<new>', 'path or address of the WSDL, or schema, that they will meet')
    .option(
      '--usage <report>',
      'admin address or file: name the clients that breaking changes of a WSDL meet',
    )
    .action(async (before: string, after: string, options: SourceFlags & { usage?: string }) => {
      const schemas = [before, after].filter((each) => each.endsWith('.graphql'));
      if (schemas.length === 1) {
        throw diagnosis.unplacedError(
          'A schema and a WSDL cannot be compared.',
          'Give two of one kind.',
          schemas[0],
        );
      }
      if (schemas.length === 2) {
        if (options.usage !== undefined) {
          throw diagnosis.unplacedError('--usage is for two WSDLs.', 'Leave it out.');
        }
        const { diffSchemas } = await import('./operator/schema-diff.js');
        return finish(await diffSchemas(before, after, terminal));
      }
      const { diff } = await import('./operator/diff.js');
      finish(await diff(before, after, sourceFrom(options), options.usage ?? null, terminal));
    });
}

/**
 * Without `-c`: the file of this folder; where there is none, the demonstration that the package
 * brings.
 */
function defaultFile(terminal: Terminal): string {
  if (existsSync(DEFAULT_FILE)) return DEFAULT_FILE;
  const demonstration = fileURLToPath(new URL(DEFAULT_FILE, inputFiles.PACKAGE_FOLDER));
  terminal.error(`There is no ${DEFAULT_FILE} here: this is the demonstration, ${demonstration}.`);
  return demonstration;
}

/** Adds the options that say how a WSDL is read. */
const withSource = (command: Command): Command =>
  SOURCE_OPTIONS.reduce(
    (made, { flags, description, isRepeated }) =>
      isRepeated === true
        ? made.option(flags, description, collect, [])
        : made.option(flags, description),
    command,
  );

/** Prints an error without a stack trace. The library has printed help and misuse already. */
function explain(error: unknown, terminal: Terminal): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof ConfigurationError) {
    for (const diagnostic of error.diagnostics) {
      terminal.error(diagnosis.printDiagnostic(diagnostic));
    }
    return 2;
  }
  const place = refusedPlace(error);
  if (place !== null) {
    terminal.error(diagnosis.printDiagnostic(place));
    return 2;
  }
  terminal.error(`Unexpected error: ${error instanceof Error ? error.message : String(error)}`);
  return 1;
}
