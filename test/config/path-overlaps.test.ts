import t from 'tap';
import { useConfigFolder } from '../kit/configuration.js';

/**
 * Each path of the traffic address has one endpoint: conflicts of every two kinds are errors that
 * name both keys.
 */

const { problems } = await useConfigFolder(t);

/** The keys of one endpoint at a path: of the service `a`, or of the whole configuration. */
interface Claim {
  readonly service?: string;
  readonly other?: string;
  readonly key: string;
}

/** The kinds of endpoints with a path that their key has. */
const AT: Readonly<Record<string, (path: string) => Claim>> = {
  graphql: (path) => ({ other: `graphql: { path: ${path} }`, key: 'graphql.path' }),
  soap: (path) => ({
    other: `more: { url: http://b, path: ${path} }`,
    key: 'services.more.path',
  }),
  mcp: (path) => ({ other: `mcp: { path: ${path} }`, key: 'mcp.path' }),
  downloads: (path) => ({
    other: `downloads: { path: ${path}, keys: [${'k'.repeat(32)}] }`,
    key: 'graphql.downloads.path',
  }),
  plain: (path) => ({ other: `routes: [{ path: ${path}, url: http://c }]`, key: 'routes[0].path' }),
  restBase: (path) => ({ service: `rest: { path: ${path} }`, key: 'services.a.rest.path' }),
  restRoute: (path) => ({
    service: `rest: true, operations: { Get: { field: Query.get, rest: "GET ${path}" } }`,
    key: 'services.a.operations.Get.rest',
  }),
};

/** A file with the endpoints of both claims. */
function fileOf(claims: readonly Claim[]): string {
  const others = claims.flatMap(({ other }) => (other === undefined ? [] : [other]));
  const inServices = others.filter((line) => line.startsWith('more:'));
  const inGraphql = others.filter((line) => line.startsWith('downloads:'));
  const graphql = others.filter((line) => line.startsWith('graphql:'));
  const own = claims.flatMap(({ service }) => (service === undefined ? [] : [`, ${service}`]));
  return [
    `services: { a: { url: http://a, types: "type Query { get: Int }"${own.join('')} ` +
      `}${inServices.map((line) => `, ${line}`).join('')} }`,
    ...others.filter((line) => /^(?:mcp|routes):/.test(line)),
    inGraphql.length === 0
      ? graphql.join('\n')
      : (graphql[0] ?? 'graphql: { }').replace(
          / \}$/,
          `${graphql.length === 0 ? '' : ','} ${inGraphql[0] ?? ''} }`,
        ),
    '',
  ].join('\n');
}

const conflicts = async (claims: readonly Claim[]): Promise<readonly string[]> =>
  (await problems(fileOf(claims))).filter((line) =>
    /same path|is below|matches (?:the path|paths) of/.test(line),
  );

const kinds = Object.keys(AT);
const claimOf = (kind: string, path: string): Claim => {
  const make = AT[kind];
  if (make === undefined) throw new Error(`no kind ${kind}`);
  return make(path);
};

t.test('two endpoints at one path are an error with both keys', async (t) => {
  for (const [at, one] of kinds.entries())
    for (const other of kinds.slice(at + 1)) {
      if (one === 'restBase' && other === 'restRoute') continue;
      const claims = [claimOf(one, '/x/y'), claimOf(other, '/x/y')];
      const [found = '', ...rest] = await conflicts(claims);
      for (const { key } of claims) t.ok(found.includes(`\`${key}\``), `${one} ${other}: ${found}`);
      t.same(rest, [], `${one} ${other}`);
    }
});

t.test('a REST path with parameters that matches another endpoint is an error', async (t) => {
  for (const other of kinds.filter((kind) => !kind.startsWith('rest')))
    for (const template of ['/x/{id}', '/{id}/y', '/{a}/{b}']) {
      const claims = [claimOf('restRoute', template), claimOf(other, '/x/y')];
      const found = await conflicts(claims);
      t.ok(
        found.some((line) => claims.every(({ key }) => line.includes(`\`${key}\``))),
        `${template} ${other}: ${found.join()}`,
      );
      if (other === 'downloads') continue;
      t.same(await conflicts([claimOf('restRoute', '/z/{id}'), claimOf(other, '/x/y')]), []);
      t.same(await conflicts([claimOf('restRoute', '/x/y/{id}'), claimOf(other, '/x/y')]), []);
    }
  const below = [claimOf('restRoute', '/x/y/{id}'), claimOf('downloads', '/x/y')];
  t.match(await conflicts(below), [/matches paths of `graphql.downloads.path`/]);
});

t.test('an endpoint below the paths of one that is asked before it is an error', async (t) => {
  for (const [kind, isConflict] of [
    ['mcp', true],
    ['downloads', true],
    ['plain', true],
    ['soap', false],
    ['graphql', false],
  ] as const)
    t.equal(
      (await conflicts([claimOf('restBase', '/x'), claimOf(kind, '/x/y/z')])).length > 0,
      // The files of GraphiQL are below the path of GraphQL, and REST is asked before them.
      isConflict || kind === 'graphql',
      kind,
    );
  t.match(await conflicts([claimOf('restBase', '/x'), claimOf('mcp', '/x/y')]), [
    '`mcp.path` (/x/y) is below `services.a.rest.path`, which has all paths below /x/.',
  ]);
  t.match(await conflicts([claimOf('downloads', '/x'), claimOf('plain', '/x/y')]), [
    /`routes\[0\]\.path` \(\/x\/y\) is below `graphql\.downloads\.path`/,
  ]);
  t.match(await conflicts([claimOf('graphql', '/x'), claimOf('plain', '/x/assets/y')]), [
    /`routes\[0\]\.path` .*is below `\/x\/assets\/` of `graphql\.path`/,
  ]);
});

t.test('the description of REST, its page and that of MCP are endpoints as well', async (t) => {
  for (const path of ['/rest/openapi.json', '/rest/openapi.yaml', '/rest/openapi.html'])
    for (const kind of kinds.filter((each) => each !== 'restBase')) {
      const rest = kind === 'restRoute' ? [] : [claimOf('restRoute', '/z')];
      const found = await conflicts([...rest, claimOf(kind, path)]);
      t.ok(
        found.some((line) => line.includes(`\`${path}\` of \`services.a.rest\``)),
        `${kind} ${path}: ${found.join()}`,
      );
    }
  t.match(await conflicts([claimOf('restBase', '/rest/openapi.html')]), []);
  const known = '/.well-known/oauth-protected-resource/mcp';
  const { other = '' } = claimOf('mcp', '/mcp');
  t.match(
    await conflicts([
      claimOf('restRoute', known),
      { other: `${other}\npublicUrl: https://g.example`, key: '' },
    ]),
    [new RegExp(`matches the path of \`${known}\` of \`mcp\\.path\``)],
  );
});

t.test('a plain route takes what is left, so that other endpoints are below it', async (t) => {
  for (const kind of kinds.filter((each) => each !== 'plain'))
    t.same(await conflicts([claimOf('plain', '/'), claimOf(kind, '/x/y')]), [], kind);
});

t.test(
  'REST paths of a service may be below its own base, and share a path by method',
  async (t) => {
    t.same(
      await conflicts([
        {
          service:
            'rest: { path: /x }, operations: { Get: { field: Query.get, rest: ' +
            '"GET /x/y/{id}" }, Set: { field: Mutation.set, rest: "PUT /x/y/{id}" } }',
          key: '',
        },
      ]),
      [],
    );
  },
);
