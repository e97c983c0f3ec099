import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { importWsdl } from '../../src/cli/import/import.js';
import { makeMockServer } from '../../src/cli/mock/mock.js';
import { printOpenApi } from '../../src/compile/rest/openapi.js';
import { compile } from '../../src/compile.js';
import { loadConfig } from '../../src/config/load.js';
import { ConfigurationError } from '../../src/core/diagnostic.js';
import { readWsdl } from '../../src/wsdl/read.js';
import { startTestGateway } from '../kit/gateway.js';
import { listen } from '../kit/listen.js';
import { FILES } from '../wsdl/written.js';
import { missing, REDOCLY, SCHEMATHESIS } from './programs.js';

/** The OpenAPI description of every WSDL at hand, before the linter that most use. */

const CORPUS = '../shared/corpora/wsdl';
const FOLDERS = ['config/demo', 'test/real/stacks', ...(existsSync(CORPUS) ? [CORPUS] : [])];

const SILENT = { out: () => {}, error: () => {} };

/**
 * The rules of the linter that most take, but for a licence, which a gateway cannot know of its
 * backends.
 */
const RULES =
  'extends: [recommended]\nrules: { info-license: off, no-server-example.com: ' +
  'off, operation-4xx-response: error }\n';

/** What a WSDL's operations are for those who call them. */
interface Offer {
  /** The description of all operations. */
  readonly text: string;
  /** Fields of GraphQL that call one. */
  readonly fieldCount: number;
  /** Operations that REST offers. */
  readonly restCount: number;
}

/** The offer of a WSDL; null where GraphQL can offer no operation, or the WSDL is refused. */
async function describe(wsdl: string, directory: string): Promise<Offer | null> {
  const addresses = {
    listen: '127.0.0.1:0',
    admin: '127.0.0.1:0',
    more: [PUBLIC],
    hasRestAndTools: true,
  };
  const options = { directory, name: null, ports: [], force: true, json: false, addresses };
  try {
    if ((await importWsdl(wsdl, options, SILENT)) !== 0) return null;
  } catch (caught) {
    if (caught instanceof ConfigurationError) return null;
    throw caught;
  }
  const compiled = await compile(await loadConfig(join(directory, 'soapstone.yaml'), {}));
  await compiled.close();
  const { rest } = compiled;
  if (rest === null) return null;
  const { schema } = rest.frame;
  const roots = [schema.getQueryType(), schema.getMutationType()];
  const names = roots.flatMap((root) => Object.keys(root?.getFields() ?? {}));
  // A schema without reads has a field that calls nothing.
  const fieldCount = names.filter((name) => name !== '_empty').length;
  const text = printOpenApi(
    rest.frame,
    { operations: rest.operations, routes: rest.routes.all },
    'json',
  );
  return { text, fieldCount, restCount: rest.operations.size };
}

/** Credentials of each kind: the description names them. */
const PUBLIC = `publicUrl: https://api.example
clients: { apiKeys: { clients: { a: { class: all, keys: [${'a'.repeat(20)}] } } }, \
classes: { all: {} } }`;

t.test(
  'the description of each WSDL is clean for the linter',
  { skip: missing('redocly') },
  async (t) => {
    const found = FOLDERS.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.wsdl'))
        .map((name) => join(folder, name)),
    );
    const home = t.testdir({ 'redocly.yaml': RULES });
    const names = new Map<string, string>();
    let fieldCount = 0;
    let restCount = 0;
    for (const [at, wsdl] of found.entries()) {
      const offer = await describe(wsdl, join(home, String(at)));
      if (offer === null) continue;
      const { text } = offer;
      fieldCount += offer.fieldCount;
      restCount += offer.restCount;
      const file = `${at}.json`;
      writeFileSync(join(home, file), text);
      names.set(file, wsdl);
    }
    t.ok(names.size > 5, `${names.size} descriptions`);
    t.equal(
      restCount,
      fieldCount,
      `${restCount} of ${fieldCount} operations of GraphQL can be called by REST`,
    );
    const { stdout } = spawnSync(
      REDOCLY,
      ['lint', '--format=json', '--max-problems=10000', ...names.keys()],
      {
        cwd: home,
        encoding: 'utf8',
        maxBuffer: 256 * 1024 * 1024,
        env: {
          PATH: process.env['PATH'],
          REDOCLY_TELEMETRY: 'off',
          REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
        },
      },
    );
    // One report for each description, one after the other.
    const reports = stdout.split(/(?<=\n\})(?=\{\n)/).map((text): Report => JSON.parse(text));
    t.equal(reports.length, names.size);
    const byRule = reports
      .flatMap(({ problems }) => problems)
      .map(({ ruleId, message, location: [where] }) => {
        const wsdl = names.get(where?.source.ref.split('/').at(-1) ?? '') ?? '';
        return `${wsdl}: ${ruleId}: ${message.slice(0, 200)} at ${where?.pointer ?? ''}`;
      });
    t.same(byRule.slice(0, 50), []);
    t.comment(`${names.size} of ${found.length} WSDLs have operations`);
  },
);

/** Of the demonstration: reads and writes, facets, enumerations, lists and nested types. */
const DEMO = 'config/demo/legacy.wsdl';

/**
 * A request that the schema takes may still break a rule of XML Schema that JSON Schema has no word
 * for.
 */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
];

t.test(
  'generated requests get what the description says',
  { skip: missing('schemathesis') },
  async (t) => {
    const home = t.testdir({});
    const mock = makeMockServer(await readWsdl(DEMO, FILES), { answers: null, texts: null });
    const addresses = {
      listen: '127.0.0.1:0',
      admin: '127.0.0.1:0',
      more: [],
      hasRestAndTools: true,
    };
    const url = `${(await listen(t, mock)).url}/`;
    const options = {
      directory: home,
      name: null,
      ports: [],
      force: true,
      json: false,
      url,
      addresses,
    };
    t.equal(await importWsdl(DEMO, options, SILENT), 0);
    const gateway = await startTestGateway(
      await readFile(join(home, 'soapstone.yaml'), 'utf8'),
      home,
    );
    t.teardown(() => gateway.close());
    const generated = [
      '--phases=coverage,fuzzing',
      '--continue-on-failure',
      '--no-color',
      '--max-examples=50',
      '--seed=1',
    ];
    const checks = CHECKS.flatMap((check) => ['--checks', check]);
    const child = spawn(
      SCHEMATHESIS,
      ['run', `${gateway.url}/rest/openapi.json`, ...generated, ...checks],
      {
        cwd: home,
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    const [code] = await once(child, 'close');
    t.equal(code, 0, text.slice(-8000));
    t.comment(/\d+ generated.*/.exec(text)?.[0] ?? '');
  },
);

interface Report {
  readonly problems: readonly {
    readonly ruleId: string;
    readonly message: string;
    readonly location: readonly {
      readonly source: { readonly ref: string };
      readonly pointer?: string;
    }[];
  }[];
}
