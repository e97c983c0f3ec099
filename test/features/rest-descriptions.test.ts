import { createHash } from 'node:crypto';
import { getIntrospectionQuery } from 'graphql';
import t, { type Test } from 'tap';
import { parse } from 'yaml';
import { type Crm, clientsOf, keyOf, useCrm } from '../kit/crm.js';

/**
 * OpenAPI of many services: shared by callers of the same rights, printed in parts, and paid for.
 */

const NAMES = Array.from({ length: 100 }, (_, at) => `crm${at}`);

const CLASSES = {
  full: '{}',
  same: '{}',
  some: '{ allow: [crm1.GetCustomer, crm2] }',
  none: '{ allow: [] }',
};

const start = (t: Test, more = ''): Promise<Crm> =>
  useCrm(t, ', rest: true', clientsOf(CLASSES) + more, NAMES);

async function describe(crm: Crm, name: string, form = 'json'): Promise<Response> {
  return fetch(`${crm.gateway.url}/rest/openapi.${form}`, {
    headers: { 'x-api-key': keyOf(name) },
  });
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

t.test(
  'each caller gets the operations of its rights, whichever are asked for before',
  async (t) => {
    const crm = await start(t);
    const texts = new Map<string, Set<string>>();
    for (let round = 0; round < 3; round++) {
      for (const name of ['full', 'some', 'same', 'none']) {
        const text = await (await describe(crm, name)).text();
        texts.set(name, (texts.get(name) ?? new Set()).add(digest(text)));
        t.equal(text, JSON.stringify(JSON.parse(text), null, 2), 'indented');
        const paths = Object.keys(JSON.parse(text).paths);
        if (name === 'some')
          t.same(paths, [
            '/rest/crm1/GetCustomer',
            ...['GetCustomer', 'FindCustomers', 'SetCustomer'].map((each) => `/rest/crm2/${each}`),
          ]);
        else t.equal(paths.length, name === 'none' ? 0 : NAMES.length * 3);
      }
    }
    for (const [name, found] of texts) t.equal(found.size, 1, `${name} gets one text`);
    t.same(texts.get('full'), texts.get('same'));
  },
);

t.test('YAML has what JSON has', async (t) => {
  const crm = await start(t);
  const texts: (readonly [json: string, yaml: string])[] = [];
  for (const name of ['full', 'some', 'none']) {
    const json = await (await describe(crm, name)).text();
    texts.push([json, await (await describe(crm, name, 'yaml')).text()]);
  }
  // Reading YAML takes seconds, in which no connection is answered.
  for (const [json, yaml] of texts) t.strictSame(parse(yaml), JSON.parse(json));
});

t.test('a description is the same with gzip and without it', async (t) => {
  const crm = await useCrm(t, ', rest: true', clientsOf({ full: '{}' }));
  const ask = async (coding: string): Promise<[string | null, string]> => {
    const headers = { 'x-api-key': keyOf('full'), 'accept-encoding': coding };
    const answer = await fetch(`${crm.gateway.url}/rest/openapi.json`, { headers });
    return [answer.headers.get('content-encoding'), await answer.text()];
  };
  const [none, plain] = await ask('identity');
  t.equal(none, null);
  t.equal(Object.keys(JSON.parse(plain).paths).length, 3);
  t.same(await ask('gzip'), ['gzip', plain]);
  t.same(await ask('identity'), [null, plain]);
});

t.test('concurrent requests get the same description', async (t) => {
  const crm = await start(t);
  const names = ['full', 'some', 'same', 'full', 'some', 'same'];
  const texts = await Promise.all(
    names.map(async (name) => digest(await (await describe(crm, name)).text())),
  );
  t.equal(new Set(texts).size, 2);
});

t.test(
  'a description is answered that is longer than `limits.rest.descriptionBytes`',
  async (t) => {
    const crm = await start(t, 'limits: { rest: { descriptionBytes: 1048576 } }\n');
    const first = await (await describe(crm, 'full', 'json')).text();
    t.ok(first.length > 1048576, `${first.length} bytes`);
    t.equal(await (await describe(crm, 'full', 'json')).text(), first);
  },
);

t.test('a description costs what introspection of the schema costs', async (t) => {
  const budgets = { full: '{ budget: { maximum: 1000, restoreRate: 1 } }' };
  const crm = await useCrm(t, ', rest: true', clientsOf(budgets), NAMES);
  const ask = async (query: string): Promise<{ left: number; cost: number }> => {
    const response = await fetch(`${crm.gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'x-api-key': keyOf('full'), 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    const { extensions } = (await response.json()) as {
      extensions: {
        cost: { requestedQueryCost: number; throttleStatus: { currentlyAvailable: number } };
      };
    };
    const { requestedQueryCost, throttleStatus } = extensions.cost;
    return { left: throttleStatus.currentlyAvailable, cost: requestedQueryCost };
  };
  const introspection = await ask(
    getIntrospectionQuery({
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    }),
  );
  t.ok(introspection.cost > 1, `${introspection.cost} points`);
  const before = (await ask('{ __typename }')).left;
  await (await describe(crm, 'full')).text();
  const after = (await ask('{ __typename }')).left;
  const spent = before - after;
  t.ok(Math.abs(spent - introspection.cost) <= 3, `${spent} of ${introspection.cost}`);
});
