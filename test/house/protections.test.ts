import { readFileSync } from 'node:fs';
import t from 'tap';
import { configSchema, type SchemaNode } from '../../src/config/check/schema-node.js';
import type { Protection } from '../../src/config/protection/protection.js';
import { PROTECTIONS } from '../../src/config/protection/table.js';
import { replaceSection } from '../kit/reference/configuration.js';
import { KEPT, printKept } from '../kit/reference/kept.js';
import { printProtections } from '../kit/reference/protections.js';
import { readSources } from '../kit/source.js';

/**
 * Each key of the configuration is one of a protection, or is listed here as one that protects
 * nothing.
 */

/** What a service of either kind has: the way to its backend, names, sizes and prices. */
const OF_SERVICES = [
  ...[
    'kind',
    'url',
    'urls',
    'proxy',
    'headerCase',
    'balance',
    'zone',
    'timeoutMillis',
    'retry',
    'health',
  ],
  ...['auth', 'tls.cert', 'tls.key', 'tls.pfx', 'tls.passphrase'],
];
const OF_SOAP_SERVICES = [
  ...['versions', 'bridge', 'path', 'port', 'ports', 'namespace', 'naming', 'callerHeaders'],
  ...['forwarded', 'sticky', 'bufferRequests', 'mtom', 'dataContractReferences'],
  ...[
    'addressing.calls',
    'addressing.version',
    'addressing.rewriteTo',
    ...[
      'timestamp',
      'expiresMillis',
      'usernameToken',
      'saml',
      'signature',
      'mustUnderstand',
      'actor',
    ].map((key) => `security.make.${key}`),
    'schema.choices',
    'schema.nullable',
  ],
  ...['record.folder', 'record.share', 'record.operations'],
  ...['drift.headers', 'drift.everyMillis', 'drift.folder', 'drift.looks', 'drift.reloadsPerHour'],
  ...[
    // Calls that were sent are made again where the operation is idempotent alone.
    ...['description', 'deprecated', 'read.cacheMillis', 'read.staleMillis', 'write'],
    ...[
      'request',
      'response',
      'namespace',
      'qualified',
      'oneWay',
      'soapAction',
      'faults',
      'timeoutMillis',
      'retry',
    ],
  ].map((key) => `operations.*.${key}`),
  ...['name', 'description', 'nullable'].map((key) => `schema.types.*.${key}`),
  ...['name', 'type', 'convert', 'path', 'nullable', 'deprecated', 'description'].map(
    (key) => `schema.types.*.fields.*.${key}`,
  ),
];
/** A second backend is a server as others are: who is called does not protect. */
const OF_SECOND_BACKENDS = ['auth', 'headers', 'proxy', 'timeoutMillis', 'security'];
const OF_SHADOWS = ['share', 'operations', 'compare', 'ignore', 'callsAtOnce', 'waitingBytes'];
const OF_CANARIES = ['share', 'header', 'sticky', 'back'];
const OF_GRAPHQL_SERVICES = ['schema', 'prefix', 'rename', 'subscriptions'];
const OF_TLS = ['cert', 'key', 'pfx', 'passphrase'];

const NEUTRAL: readonly string[] = [
  ...['jwt', 'introspection'].map((key) => `clients.${key}.dpop.keys`),
  ...OF_SERVICES.flatMap((key) => [`services.*.${key}`, `graphqlServices.*.${key}`]),
  ...OF_SOAP_SERVICES.map((key) => `services.*.${key}`),
  ...[...OF_SECOND_BACKENDS, ...OF_CANARIES].map((key) => `services.*.canary.${key}`),
  ...[...OF_SECOND_BACKENDS, ...OF_SHADOWS].map((key) => `services.*.shadow.${key}`),
  ...OF_GRAPHQL_SERVICES.map((key) => `graphqlServices.*.${key}`),
  ...OF_TLS.flatMap((key) =>
    [
      'clients.introspection',
      'clients.authorize',
      'services.*.security.verify.usernameToken',
      'services.*.canary',
      'services.*.shadow',
    ].map((owner) => `${owner}.tls.${key}`),
  ),
  'services.*.security.verify.usernameToken.timeoutMillis',
  // More ways to operations, with the rights, prices and limits that they have by GraphQL.
  'services.*.rest',
  ...['mcp.path', 'mcp.operations', 'mcp.keys'],
  // How many calls answer a field, which its cost counts.
  'services.*.operations.*.pages',
  // Addresses of what their client has read, good for that client alone: without keys there are
  // none.
  'graphql.downloads',
  // Further ways to operations, and what a composition knows of their fields.
  'graphql.federation.keys',
  'graphql.federation.types',
  'services.*.operations.*.rest',
  // The gateway at the endpoint, and what of a token goes on.
  ...[
    'issuer',
    'clientId',
    'clientSecret',
    'clientAuth',
    'timeoutMillis',
    'inactiveMillis',
    'logAs',
  ].map((key) => `clients.introspection.${key}`),
  ...['clients.jwt.logAs', 'clients.remembered', 'clients.maskKey'],
  // Names, paths and what is offered beside the services.
  ...[
    'include',
    'workers',
    'headerCase',
    'drainDelayMillis',
    'roles',
    'links',
    'subscriptions',
    'routes',
    'metrics',
    'traces',
    'log',
    'home',
    'demo',
  ],
  ...['graphql.path', 'graphql.persisted', 'graphql.trusted.manifest', 'graphql.cors.maxAgeMillis'],
  ...['console.slowMillis', 'reload.watch', 'compiled'],
  // Exchanges without their values; for whom values are shown is a protection.
  ...['console.inspect.operations', 'console.inspect.exchanges'],
  // Callers are told of their own messages, and of what they have a right to.
  'faults.explain',
];

/** The keys of the table of keys, those of the two kinds of services apart. */
function* keysOf(node: SchemaNode, path: string): Iterable<string> {
  if (node.then !== undefined && node.else !== undefined) {
    yield* keysOf(node.then, path.replace(/^services/, 'graphqlServices'));
    yield* keysOf(node.else, path);
    return;
  }
  const children = Object.entries(node.properties ?? {}).map(
    ([key, child]) => [path === '' ? key : `${path}.${key}`, child] as const,
  );
  for (const child of Object.values(node.patternProperties ?? {}))
    if (
      child.properties !== undefined ||
      child.patternProperties !== undefined ||
      child.then !== undefined
    )
      children.push([`${path}.*`, child]);
  if (children.length === 0) yield path;
  for (const [at, child] of children) yield* keysOf(child, at);
}

const covers = (pattern: string, key: string): boolean =>
  key === pattern || key.startsWith(`${pattern}.`);

const GUARDED = Object.entries<Protection>(PROTECTIONS).flatMap(([name, { keys }]) =>
  Object.keys(keys).map((key) => [key.replaceAll('?', ''), name] as const),
);

t.test('every key of the configuration protects something, or is known not to', async (t) => {
  const keys = [...keysOf(configSchema(), '')];
  t.ok(keys.length > 500, `${keys.length} keys`);
  // A key is not covered by the map that it stands in, where other keys of that have rows of their
  // own.
  const names = GUARDED.map(([pattern]) => pattern);
  const isMap = (pattern: string): boolean =>
    names.some((other) => other.startsWith(`${pattern}.`));
  const isCovered = (key: string): boolean =>
    names.some((pattern) => (isMap(pattern) ? key === pattern : covers(pattern, key))) ||
    NEUTRAL.some((pattern) => covers(pattern, key));
  const unknown = keys.filter((key) => !isCovered(key));
  t.same(unknown, [], 'give it a row in config/protection/table.ts, or list it here');
  for (const pattern of [...GUARDED.map(([key]) => key), ...NEUTRAL])
    t.ok(
      keys.some((key) => covers(pattern, key)),
      `${pattern} is a key`,
    );
});

t.test('no key has two comparisons, and none that protects is called neutral', async (t) => {
  const names = GUARDED.map(([key]) => key);
  t.same(
    names.filter((key, index) => names.indexOf(key) !== index),
    [],
  );
  t.same(
    names.filter((key) => NEUTRAL.includes(key)),
    ['services.*.urls', 'graphqlServices.*.urls'],
    'addresses: only that they speak TLS',
  );
});

t.test('the manual has the table of what a reload keeps', async (t) => {
  const manual = readFileSync('config/manual/operations.md', 'utf8');
  t.equal(replaceSection(manual, 'kept', printKept()), manual, 'run `npm run generate`');
  t.equal(
    new Set(KEPT.map(({ what }) => what)).size,
    KEPT.length,
    'each kind has a row of its own',
  );
  const declared = readSources('src').flatMap(({ code }) => [
    ...code.matchAll(/\bnew Kept</g),
  ]).length;
  t.equal(declared, KEPT.length, 'each kind that is declared is in the table');
});

t.test('the manual has the table of protections', async (t) => {
  const manual = readFileSync('config/manual/protection.md', 'utf8');
  t.equal(
    replaceSection(manual, 'protections', printProtections()),
    manual,
    'run `npm run generate`',
  );
  t.match(manual, '<!-- protections -->');
});
