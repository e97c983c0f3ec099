import type { ConfiguredGraphqlUpstream } from '../compile/graphql/graphql-upstream.js';
import type { SoapService } from '../compile/soap/service.js';
import { type Compiled, compile } from '../compile.js';
import { loadConfig, loadRest, type RestOfConfig, rootSection } from '../config/load.js';
import { openIn } from '../config/protection/weakenings.js';
import type { Config } from '../config/schema.js';
import type { ConfigSection } from '../config/section.js';
import { ConfigurationError, type Diagnostic, diagnosis } from '../core/index.js';
import type { BoundField } from '../graphql/index.js';
import { throwWithWsdls } from '../process/reload/wsdl-errors.js';
import type { ExitCode, Terminal } from '../process/terminal.js';
import { report } from '../wsdl/index.js';
import { ALL_LISTED, counted, diagnosticLine, MOST_LISTED, oneLine, table } from './table.js';
import { withXmlContent } from './xml-content.js';

/**
 * Loads and compiles everything and prints what came out of it. Throws `ConfigurationError` with
 * all that is wrong, also for a service of which no operation can be called.
 */
export async function check(file: string, terminal: Terminal): Promise<ExitCode> {
  const loaded = await loadConfig(file, process.env).catch((error: unknown) =>
    throwWithNames(file, error),
  );
  const compiled = await compile(loaded);
  await compiled.close();
  for (const service of compiled.services) {
    printService(service, compiled, terminal);
  }
  for (const service of compiled.graphqlUpstreams) {
    printGraphqlUpstream(service, compiled, terminal);
  }
  const broken = new Set(compiled.services.flatMap(({ wsdl }) => wsdl?.profile ?? []));
  const warnings = [...compiled.warnings, ...[...broken].map(report.warningOfRule)];
  for (const warning of diagnosis.firstWarnings(warnings)) {
    terminal.out(`warning: ${diagnosticLine(warning)}`);
  }
  for (const open of openIn(compiled.config)) {
    terminal.out(`open: ${oneLine(open)}`);
  }
  const root = rootSection(loaded);
  const unusable = compiled.services.flatMap((service) => unusableService(service, root));
  if (unusable.length > 0) throw new ConfigurationError(unusable);
  const operations = compiled.services.reduce((sum, service) => sum + service.operations.length, 0);
  const parts = [
    counted(compiled.services.length + compiled.graphqlUpstreams.length, 'service'),
    counted(operations, 'operation'),
    counted(compiled.graph.fields.size + compiled.graph.subschemaFields.size, 'GraphQL field'),
    counted(warnings.length, 'warning'),
  ];
  terminal.out(`${file} is fine: ${parts.join(', ')}.`);
  return 0;
}

/** Throws `error` of a configuration, and with it the errors of names in the rest of it. */
async function throwWithNames(file: string, error: unknown): Promise<never> {
  const rest = error instanceof ConfigurationError ? await loadRest(file, process.env) : null;
  if (!(error instanceof ConfigurationError) || rest === null) return throwWithWsdls(file, error);
  const more = await compile(rest.loaded).then(
    async (compiled) => {
      await compiled.close();
      return [];
    },
    (other: unknown) => {
      if (other instanceof ConfigurationError) return other.diagnostics;
      // What is left out was needed.
      return throwWithWsdls(file, error);
    },
  );
  const known = new Set(error.diagnostics.map(diagnosis.printDiagnostic));
  // A value that is wrong has no further errors that are worth reading, nor has what lacks it now.
  const places = new Set([
    ...error.diagnostics.flatMap((each) => placeOf(each) ?? []),
    ...placesLacking(rest),
  ]);
  throw new ConfigurationError([
    ...error.diagnostics,
    ...more.filter(
      (each) => !known.has(diagnosis.printDiagnostic(each)) && !places.has(placeOf(each) ?? ''),
    ),
  ]);
}

/** The places of sections that lack something: errors about them may come from that. */
function placesLacking({ loaded, lacking }: RestOfConfig): readonly string[] {
  const root = rootSection(loaded);
  const parts = ['key', 'value'] as const;
  return lacking.flatMap((path) =>
    parts.flatMap((part) => placeOf(root.diagnostic(path, '', null, part)) ?? []),
  );
}

/** The place of an error in its file; null for one that has none. */
const placeOf = ({ file, line, column }: Diagnostic): string | null =>
  line === null ? null : `${file}:${line}:${column}`;

const NO_OPERATIONS =
  'Its WSDL has none with a SOAP binding: name one that has a `service` with a `port`.';

/** A service of which no operation can be called, though it has operations or a WSDL. */
function unusableService(
  { name, operations, wsdl }: SoapService,
  root: ConfigSection<Config>,
): readonly Diagnostic[] {
  if (operations.length === 0 && wsdl === null) return [];
  if (operations.some(({ status }) => status !== 'disabled')) return [];
  const reason = operations.flatMap(({ reasons }) => reasons)[0];
  const what = `No operation of service ${name} can be called.`;
  return [
    root.diagnostic(
      ['services', name, 'wsdl'],
      what,
      reason === undefined ? NO_OPERATIONS : oneLine(diagnosis.printDiagnostic(reason)),
    ),
  ];
}

/** Prints the status of each operation of one service, as `import` does. */
function printService(service: SoapService, { graph }: Compiled, terminal: Terminal): void {
  const { name, operations, wsdl } = service;
  if (operations.length === 0) return;
  const fields = new Map<string, string>();
  const bounds = new Map<string, BoundField>();
  for (const [field, bound] of graph.fields) {
    if (bound.service === name) {
      bounds.set(bound.operation.name, bound);
      const others = fields.get(bound.operation.name);
      fields.set(bound.operation.name, others === undefined ? field : `${others}, ${field}`);
    }
  }
  const byHand = [{ name: '-', dialect: service.dialects[0].name, address: null, operations }];
  const ports = (wsdl === null ? byHand : service.ports).map((port) => ({
    ...port,
    operations: port.operations.map((operation) => {
      const bound = bounds.get(operation.name);
      return bound === undefined ? operation : withXmlContent(operation, bound);
    }),
  }));
  const rows = report.reportRows({ services: [{ name: { uri: '', local: name }, ports }] });
  const broken = rows.filter(({ status }) => status !== 'ok');
  const listed = rows.length <= ALL_LISTED ? rows : broken.slice(0, MOST_LISTED);
  const tally = (['ok', 'partial', 'disabled'] as const).map(
    (status) => `${rows.filter((row) => row.status === status).length} ${status}`,
  );
  terminal.out(`service ${name}: ${counted(rows.length, 'operation')}: ${tally.join(', ')}`);
  if (listed.length > 0) {
    const lines = listed.map((row) => {
      const field = fields.get(row.operation);
      const why = row.reason ?? (field === undefined ? 'left out by the configuration' : '');
      const place = row.location === null ? '' : ` (${row.location})`;
      return [
        oneLine(row.operation),
        oneLine(row.port),
        row.status,
        field ?? '-',
        oneLine(why + place),
      ];
    });
    terminal.out(table([['operation', 'port', 'status', 'field', 'reason'], ...lines]));
  }
  const left = rows.length <= ALL_LISTED ? 0 : broken.length - listed.length;
  if (left > 0) {
    terminal.out(`and ${left} more that are partial or disabled`);
  }
}

/** Prints the fields of a GraphQL upstream. */
function printGraphqlUpstream(
  { name, config }: ConfiguredGraphqlUpstream,
  { graph }: Compiled,
  terminal: Terminal,
): void {
  const fields = [...graph.subschemaFields.values()].filter(({ service }) => service === name);
  const from = config.schema === undefined ? 'by introspection' : `from ${config.schema}`;
  terminal.out(
    `service ${name}: GraphQL, ${counted(fields.length, 'field')}, schema ${oneLine(from)}`,
  );
  const lines = fields.slice(0, MOST_LISTED).map(({ operation, parent, name: field }) => {
    return [oneLine(operation.name), `${parent}.${field}`];
  });
  if (lines.length > 0) {
    terminal.out(table([['operation', 'field'], ...lines]));
  }
  if (fields.length > lines.length) {
    terminal.out(`and ${fields.length - lines.length} more`);
  }
}
