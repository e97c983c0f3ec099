import t, { type Test } from 'tap';

import { compileText, diagnosticsOf } from '../kit/configuration.js';

const SERVICE = `services:
  orders:
    url: http://127.0.0.1:9/orders
    types: |
      type Query { order(id: Int!): Int, ping: Boolean }
    operations:
      GetOrder: { field: Query.order }
      Ping: { field: Query.ping }
`;

/** Each problem as `line: what remedy`. */
async function problemsOf(t: Test, yaml: string): Promise<readonly string[]> {
  const work = compileText(t, yaml, { 'crm.graphql': 'type Query { customer: Int }' });
  return (await diagnosticsOf(work)).map(({ line, what, remedy }) => `${line}: ${what} ${remedy}`);
}

const budget = (maximum: number, rights = ''): string =>
  'clients:\n  address: { class: p }\n  classes:\n    p: { budget: { maximum: ' +
  `${maximum} }${rights} }\n`;

t.test('a budget that could never pay for any call is a error', async (t) => {
  const tooSmall = (least: number): readonly string[] => [
    `12: The budget holds 5, but the cheapest call costs ${least}: clients of class \`p\` ` +
      'could never call anything. Make it more, or the calls cheaper (`callCost`, ' +
      '`cost`, `weight`).',
  ];
  const validate = (
    maximum: number,
    { rights = '', service = SERVICE, more = '' } = {},
  ): Promise<readonly string[]> => problemsOf(t, service + budget(maximum, rights) + more);
  t.same(await validate(5), tooSmall(10));
  t.same(await validate(5, { rights: ', allow: [orders.Ping]' }), tooSmall(10));
  const costly = SERVICE.replace('{ field: Query.ping }', '{ field: Query.ping, cost: 6 }');
  t.same(
    await validate(5, { service: costly }),
    tooSmall(6),
    'one problem, not one for each that is too dear',
  );

  t.same(await validate(10), []);
  t.same(await validate(5, { more: 'limits: { graphql: { callCost: 5 } }\n' }), []);
  t.same(
    await validate(5, { service: SERVICE.replace('    types', '    callCost: 2\n    types') }),
    [],
  );
  const cheap = SERVICE.replace('{ field: Query.ping }', '{ field: Query.ping, cost: 0 }');
  t.same(await validate(5, { service: cheap }), [], 'by both endpoints');
  const light = SERVICE.replace(
    '{ field: Query.ping }',
    '{ field: Query.ping, weight: 1, cost: 50 }',
  );
  t.same(await validate(5, { service: light }), [], 'by one of them');
  t.same(await validate(5, { service: light, rights: ', deny: [orders.Ping]' }), tooSmall(10));
  t.same(await validate(5, { rights: ', deny: [orders]' }), [], 'nothing is to be called');
  const events =
    'subscriptions: { a: { on: { operation: orders.Ping, fields: { id: reply } } } }\n';
  t.same(await validate(5, { more: events }), [], 'events cost next to nothing');
});

t.test('services that speak GraphQL count', async (t) => {
  const crm = (costs: string): string =>
    'services: { crm: { kind: graphql, url: "http://127.0.0.1:9/", schema: ' +
    `crm.graphql${costs} } }\n${budget(5)}`;
  t.match(await problemsOf(t, crm('')), [
    /^5: The budget holds 5, but the cheapest call costs 10: /,
  ]);
  t.same(await problemsOf(t, crm(', callCost: 3')), []);
  t.same(await problemsOf(t, crm(', costs: { Query.customer: { cost: 5 } }')), []);
});

t.test('errors in classes are reported together with errors elsewhere', async (t) => {
  const wrong = SERVICE.replace(
    '{ field: Query.ping }',
    '{ field: Query.ping, argumentCosts: { x: 1 } }',
  );
  t.match(await problemsOf(t, wrong + budget(500, ', deny: [orders.Pong]')), [
    /no argument `x`/,
    /no operation `Pong`/,
  ]);
});
