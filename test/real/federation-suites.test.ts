import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { composeServices, compositionHasErrors } from '@theguild/federation-composition';
import { parse } from 'graphql';
import t, { type Test } from 'tap';
import { envelope } from '../kit/envelope.js';
import { startSubgraph } from '../kit/subgraph.js';
import * as compatibility from './federation/compatibility.js';
import { DIRECTIVE_SUITES } from './federation/directive-suites.js';
import { ENTITY_SUITES } from './federation/entity-suites.js';
import { type FederationSuite, LINK, type OtherSubgraph } from './federation/suite.js';
import { FEDERATION_ROUTERS, GRAPHQL_SERVERS, missing, type Program } from './programs.js';
import { STACKS } from './stacks.js';

/**
 * Suites of Hive's federation audit, and Apollo's compatibility tests, with a SOAP backend as one
 * subgraph: it composes with the others, answers what routers ask it, and what callers ask a
 * router.
 */

const run = promisify(execFile);

type Backend = Pick<FederationSuite, 'types' | 'operations' | 'keys' | 'directives' | 'replies'>;

async function useSuite(t: Test, { types, operations, keys, directives, replies }: Backend) {
  const text = (url: string): string => `services:
  crm:
    url: ${url}/crm
    namespace: urn:crm
    types: |
      ${types}
    operations:
      ${operations}
`;
  const below = keys === '{}' ? ' {}' : `\n      ${keys}`;
  const more = directives === undefined ? '' : `\n    types:\n      ${directives}`;
  const graph = await startSubgraph(t, `${more}\n`, below, text);
  graph.special = (call) => {
    const [operation = ''] = call.split(' ');
    const content = replies[call];
    if (content === undefined) throw new Error(`no reply to ${call}`);
    return envelope(`<${operation}Response xmlns="urn:crm">${content}</${operation}Response>`);
  };
  const { sdl = '' } = graph.gateway.compiled().graph.subgraph ?? {};
  return { ...graph, sdl };
}

/** The errors of the composition of the SDL of the gateway with the others. */
function compositionErrors(sdl: string, others: readonly OtherSubgraph[]): readonly string[] {
  const composed = composeServices([
    { name: 'soap', typeDefs: parse(sdl), url: 'http://127.0.0.1:1' },
    ...others.map(({ name, sdl: other }) => ({
      name,
      typeDefs: parse(LINK + other),
      url: 'http://127.0.0.1:2',
    })),
  ]);
  return compositionHasErrors(composed) ? composed.errors.map(({ message }) => message) : [];
}

const SUITES: readonly FederationSuite[] = [...ENTITY_SUITES, ...DIRECTIVE_SUITES];

for (const suite of SUITES) {
  t.test(`${suite.name}: the gateway composes, and answers what routers ask`, async (t) => {
    const { sdl, ask, calls } = await useSuite(t, suite);
    t.same(compositionErrors(sdl, suite.others), []);
    for (const { query, representations, data, calls: expected } of suite.requests) {
      const answer = await ask(query, representations === undefined ? {} : { r: representations });
      t.same(answer, { data }, query);
      t.same(calls().sort(), expected);
    }
  });
}

interface Router {
  readonly program: Program;
  readonly folder: string;
  /** Queries that it plans otherwise. */
  readonly left: readonly string[];
}

const ROUTERS: Readonly<Record<string, Router>> = {
  'apollo-gateway': { program: 'apollo-gateway', folder: FEDERATION_ROUTERS, left: [] },
  'hive-gateway': {
    program: 'graphql-servers',
    folder: GRAPHQL_SERVERS,
    // It asks for a field of an interface object without what the field requires.
    left: ['{ anotherUsers { ... on User { age } name username } }'],
  },
};

for (const [name, { program, folder, left }] of Object.entries(ROUTERS)) {
  t.test(
    `callers of ${name} get the answers of all subgraphs, for each suite`,
    { skip: missing(program) },
    async (t) => {
      const tasks: object[] = [];
      const expected: object[] = [];
      for (const suite of SUITES) {
        const { gateway, sdl } = await useSuite(t, suite);
        const queries = suite.queries.filter(([query]) => !left.includes(query));
        tasks.push({
          soap: { url: `${gateway.url}/graphql`, sdl },
          others: suite.others.map((each) => ({ ...each, sdl: LINK + each.sdl })),
          headers: {},
          queries: queries.map(([query]) => query),
        });
        expected.push({ answers: queries.map(([, data]) => ({ data })) });
      }
      const given = JSON.stringify({ folder, tasks });
      const { stdout } = await run(
        process.execPath,
        [join(STACKS, 'federation', `${name}.mjs`), given],
        { timeout: 120_000 },
      );
      t.same(JSON.parse(stdout), expected);
    },
  );
}

t.test("Apollo's compatibility tests: SDL, entities and directives", async (t) => {
  const { sdl, ask } = await useSuite(t, {
    types: compatibility.TYPES,
    operations: compatibility.OPERATIONS,
    keys: compatibility.KEYS,
    directives: compatibility.DIRECTIVES,
    replies: compatibility.REPLIES,
  });
  t.same(compositionErrors(sdl, compatibility.OTHERS), [], 'it composes with users and inventory');
  t.ok(compatibility.CASES.length >= 25);
  for (const { name, sdl: parts = [], query, representations, data } of compatibility.CASES) {
    for (const part of parts) t.match(sdl, part, name);
    if (query === undefined) continue;
    const variables = representations === undefined ? {} : { r: representations };
    t.same(await ask(query, variables), { data }, name);
  }
});
