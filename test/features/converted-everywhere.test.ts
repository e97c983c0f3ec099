import t, { type Test } from 'tap';
import { answerOperations, type RecordingBackend } from '../kit/backend.js';
import { envelope, postSoap, textIn } from '../kit/envelope.js';
import { postJson } from '../kit/graphql-client.js';
import { useLiveClient } from '../kit/live-client.js';
import { post, sendRaw } from '../kit/raw-client.js';
import { FORM_TYPE, uploadForm } from '../kit/upload-form.js';
import { useService } from '../kit/use.js';

/** Converted values together with each other capability of the gateway. */

const DESK = 'urn:desk';

const SDL = `
      type Query {
        rows(page: Int!, size: Int!, since: String): Rows
        row(code: String!): Row
        note(code: String!): Row
        rowsOf(codes: [String!]!): [Row!]
      }
      type Mutation {
        pay(sum: String!, day: String): Receipt
        save(day: String!, content: Base64): Receipt
        notify(code: String!, active: String): Boolean
      }
      type Rows { row: [Row!], total: String }
      type Row { code: String!, day: String, state: String, sum: String, next: String }
      type Receipt { sum: String, day: String }`;

const FLAG = '{ boolean: { true: J, false: N } }';
const STATE = '{ enum: { OPEN: "1", SHIPPED: "2" } }';
const DAY = '{ date: yyyyMMdd, nullWhen: ["00000000"] }';
const SUM = '{ decimal: 2, digits: 7 }';

const OPERATIONS = `
      ListRows: { field: Query.rows, pages: { page: page, size: { size: 2 }, items: row, total: { items: total } }, arguments: { since: { convert: ${DAY} } } }
      GetRow: { field: Query.row, arguments: { code: { convert: { integer: true, digits: 5 } } } }
      GetNote: { field: Query.note }
      GetRows:
        field: Query.rowsOf
        arguments: { codes: { convert: { integer: true, digits: 5 } } }
      Pay: { field: Mutation.pay, idempotency: {}, arguments: { sum: { convert: ${SUM} }, day: { convert: ${DAY} } } }
      Save: { field: Mutation.save, arguments: { day: { convert: ${DAY} } } }
      Notify: { field: Mutation.notify, arguments: { active: { convert: ${FLAG} }, code: { convert: { integer: true, digits: 5 } } } }`;

const TYPES = `
        Row: { fields: { code: { convert: { integer: true } }, day: { convert: ${DAY} }, state: { convert: ${STATE} }, sum: { convert: ${SUM} } } }
        Rows: { fields: { total: { convert: { integer: true } } } }
        Receipt: { fields: { sum: { convert: ${SUM} }, day: { convert: ${DAY} } } }`;

type ContentOf = (operation: string, request: string) => string;

async function useDesk(t: Test, contentOf: ContentOf, more = '', service = '') {
  return useService(
    t,
    answerOperations(DESK, contentOf),
    (url) => `services:
  desk:
    url: ${url}
    namespace: ${DESK}
    rest: true
    types: |${SDL}
    schema:
      types:${TYPES}
    operations:${OPERATIONS}
${service}${more}`,
  );
}

const row = (code: string, more = ''): string => `<row><code>${code}</code>${more}</row>`;
const plain = (message: string): string => message.replaceAll(/(<\/?)\w+:/g, '$1');
const sentOf = ({ complete }: RecordingBackend): readonly string[] =>
  complete.map(({ body }) => plain(String(body)));

t.test('rows of all pages are converted, and each page is asked with the same text', async (t) => {
  const { ask, backend } = await useDesk(t, (_, request) => {
    const page = Number(textIn(request, 'page'));
    const of = (at: number) => row(`0000${at}`, `<day>2026013${at % 2}</day><state>2</state>`);
    return `${of(2 * page - 1)}${of(2 * page)}<total>0005</total>`;
  });
  const answer = await ask(
    '{ rows(first: 3, since: "2026-01-01") ' +
      '{ totalCount pageInfo { endCursor } nodes { code day state } } }',
  );
  t.match(answer, {
    data: {
      rows: {
        totalCount: 5,
        nodes: [
          { code: 1, day: '2026-01-31', state: 'SHIPPED' },
          { code: 2, day: '2026-01-30' },
          { code: 3 },
        ],
      },
    },
  });
  t.equal(backend.complete.length, 2);
  for (const text of sentOf(backend)) t.match(text, '<since>20260101</since>');
  const { endCursor } = JSON.parse(JSON.stringify(answer.data)).rows.pageInfo;
  const next = await ask(
    `{ rows(first: 1, after: ${JSON.stringify(endCursor)}, since: "2026-01-01") ` +
      '{ nodes { code } } }',
  );
  t.same(next, { data: { rows: { nodes: [{ code: 4 }] } } });
  const other = await ask(
    `{ rows(first: 1, after: ${JSON.stringify(endCursor)}, since: "2026-01-02") ` +
      '{ nodes { code } } }',
  );
  t.ok(other.errors !== undefined || backend.complete.length > 3, 'a cursor is of one list');
});

t.test('a poll tells changes of values, not of their texts', async (t) => {
  let sum = '0001990';
  const desk = await useDesk(
    t,
    () => `<code>00007</code><sum>${sum}</sum>`,
    'subscriptions:\n  rowChanged: { poll: { operation: desk.GetRow, everyMillis: 50, ' +
      'changed: sum } }\n  rowWatched: { poll: { operation: desk.GetRow, everyMillis: 50 } }\n',
  );
  for (const field of ['rowChanged', 'rowWatched']) {
    sum = '0001990';
    const events = useLiveClient(t, desk.gateway.url).iterate({
      query: `subscription { ${field}(code: 7) { code sum } }`,
    });
    t.match((await events.next()).value, { data: { [field]: { code: 7, sum: '19.90' } } });
    sum = '1990';
    const before = desk.backend.complete.length;
    while (desk.backend.complete.length < before + 4) await desk.gateway.metrics();
    sum = '2000';
    t.match((await events.next()).value, { data: { [field]: { sum: '20.00' } } }, field);
    await events.return?.();
  }
  t.match(plain(desk.sent()), '<code>00007</code>');
});

t.test(
  'values of callbacks are converted, in fields, filters, conditions and answers',
  async (t) => {
    const desk = await useDesk(
      t,
      (operation) => (operation === 'GetRow' ? '<code>00007</code><state>2</state>' : ''),
      `subscriptions:
  alert:
    on:
      operation: desk.Notify
      filter: { only: request.code }
      fields: { code: request.code, active: request.active }
  alive: { on: { operation: desk.Notify, where: { request.active: "true" }, answer: desk.GetRow, arguments: { code: request.code } } }
`,
    );
    const client = useLiveClient(t, desk.gateway.url);
    const alerts = client.iterate({ query: 'subscription { alert(only: 7) { code active } }' });
    const alive = client.iterate({ query: 'subscription { alive { code state } }' });
    const [first, second] = [alerts.next(), alive.next()];
    while (
      !/soapstone_subscriptions_active\{field="alive"\} 1\n/.test(await desk.gateway.metrics())
    );
    while (
      !/soapstone_subscriptions_active\{field="alert"\} 1\n/.test(await desk.gateway.metrics())
    );
    const notify = (code: string, active: string): Promise<Response> =>
      postSoap(
        `${desk.gateway.url}/soap/desk`,
        envelope(`<Notify xmlns="${DESK}"><code>${code}</code><active>${active}</active></Notify>`),
      );
    await notify('00008', 'N');
    await notify('00007', 'J');
    t.match((await first).value, { data: { alert: { code: 7, active: true } } });
    t.match((await second).value, { data: { alive: { code: 7, state: 'SHIPPED' } } });
    t.match(plain(desk.sent()), '<code>00007</code>', 'the answer is asked for by the text');
  },
);

t.test('a converted value of an event does not fill a text: its text is not known', async (t) => {
  const asked = (name: string): string =>
    `subscriptions:
  alive: { on: { operation: desk.Notify, answer: desk.GetNote, arguments: { code: request.${name} } } }
`;
  await t.rejects(
    useDesk(t, () => '', asked('code')),
    {
      message: /`request.code` is converted to Int, `code` takes a text/,
    },
  );
});

t.test('requests under one key are the same by their converted arguments', async (t) => {
  const desk = await useDesk(t, () => '<sum>0001990</sum><day>00000000</day>');
  const pay = (sum: string, key = 'a') =>
    desk.ask(
      `mutation { pay(sum: ${sum}, day: null) { sum day } }`,
      {},
      { 'idempotency-key': key },
    );
  const paid = { data: { pay: { sum: '19.90', day: null } } };
  t.same(await pay('"19.9"'), paid);
  t.same(await pay('19.90'), paid);
  const answer = await postJson(
    `${desk.gateway.url}/rest/desk/Pay`,
    { sum: '19.90', day: null },
    { 'idempotency-key': 'a' },
  );
  t.equal(answer.status, 200);
  t.match(await answer.json(), { sum: '19.90', day: null });
  t.equal(desk.backend.complete.length, 1, 'one call');
  t.match(plain(desk.sent()), '<sum>0001990</sum><day>00000000</day>');
  t.match((await pay('"19.91"')).errors?.[0]?.extensions.code, 'IDEMPOTENCY_KEY_REUSED');
  const refused = await pay('"19.999"', 'b');
  t.match(refused.errors?.[0]?.extensions.code, 'BAD_USER_INPUT', 'nothing is sent');
  t.same(await pay('"19.9"', 'b'), paid, 'and the key is free');
});

t.test('a file goes with a converted argument', async (t) => {
  const desk = await useDesk(t, () => '<day>20260131</day>', '', '    mtom: true\n');
  const form = uploadForm(
    'mutation ($content: Base64) { save(day: "2026-01-31", content: $content) { day } }',
    {
      content: Buffer.from('file'),
    },
  );
  const { status, body } = await sendRaw(
    desk.gateway.url,
    post('/graphql', FORM_TYPE, form, { 'apollo-require-preflight': 'true' }),
  );
  t.equal(status, 200);
  t.match(JSON.parse(body), { data: { save: { day: '2026-01-31' } } });
  t.match(plain(desk.sent()), '<day>20260131</day>');
});
