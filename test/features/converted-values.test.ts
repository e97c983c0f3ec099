import t from 'tap';

import { codesAt } from '../kit/answers.js';
import { useValues } from './values-desk.js';

/** `convert` of fields: the texts of replies as values of GraphQL. */

const ALL = `<order due="31.01.26"><id>1</id><active>J</active><state>2</state>\
<placed>20260131</placed>
<at>20260131093000</at><time>235901</time><total>0001990</total><count>  00042</count>\
<note>Fragile    </note>
<customer>7</customer><flags>J</flags><flags>N</flags><codes><code>R</code>\
<code>B</code></codes></order>`;

/** A message without prefixes. */
const plain = (message: string): string => message.replaceAll(/(<\/?)\w+:/g, '$1');

const FIELDS = 'active state placed at time total count note flags codes due';

t.test('texts of replies are values of the types that the mapping gives them', async (t) => {
  const { ask } = await useValues(t, () => ALL);
  t.same(await ask(`{ getOrder(id: "1") { ${FIELDS} } }`), {
    data: {
      getOrder: {
        active: true,
        state: 'SHIPPED',
        placed: '2026-01-31',
        at: '2026-01-31T09:30:00+01:00',
        time: '23:59:01',
        total: '19.90',
        count: 42,
        note: 'Fragile',
        flags: [true, false],
        codes: ['RED', 'BLUE'],
        due: '2026-01-31',
      },
    },
  });
});

t.test('texts that stand for null are null, and unknown ones errors at their place', async (t) => {
  const reply = `<order><id>1</id><active>X</active><state>3</state><placed>00000000</placed>
<at>20260329023000</at><time>240000</time><total>19.90</total><count>4 2</count><note> *  </note>
<flags>J</flags><flags>?</flags></order>`;
  const { ask } = await useValues(t, () => reply);
  const answer = await ask(`{ getOrder(id: "1") { id ${FIELDS} } }`);
  t.same(answer.data, {
    getOrder: {
      id: '1',
      active: null,
      state: null,
      placed: null,
      at: null,
      time: null,
      total: null,
      count: null,
      note: null,
      flags: null,
      codes: null,
      due: null,
    },
  });
  t.same(
    codesAt(answer),
    ['active', 'state', 'at', 'time', 'total', 'count', 'flags.1'].map(
      (field) => `VALUE_NOT_REPRESENTABLE getOrder.${field}`,
    ),
  );
  t.notMatch(JSON.stringify(answer.errors), '19.90', 'without the value');
});

t.test('an empty text is an unknown one unless it stands for null', async (t) => {
  const { ask } = await useValues(
    t,
    () => '<order><id>1</id><placed/><note/><active/><total></total></order>',
  );
  const answer = await ask('{ getOrder(id: "1") { placed note active total } }');
  t.same(answer.data, { getOrder: { placed: null, note: null, active: null, total: null } });
  t.same(codesAt(answer), [
    'VALUE_NOT_REPRESENTABLE getOrder.active',
    'VALUE_NOT_REPRESENTABLE getOrder.total',
  ]);
});

t.test('the schema has the types of conversions, and enumerations by type and field', async (t) => {
  const { ask } = await useValues(t, () => '');
  const { data } = await ask(`{
    order: __type(name: "Order") { fields { name type { name ofType { name } } } }
    state: __type(name: "OrderState") { enumValues { name description } }
    input: __type(name: "OrderInput") { inputFields { name type { name ofType { name } } } }
  }`);
  const types = {
    active: 'Boolean',
    state: 'OrderState',
    placed: 'Date',
    at: 'DateTime',
    time: 'Time',
    total: 'Decimal',
    count: 'Int',
    note: 'String',
    due: 'Date',
  };
  for (const [name, type] of Object.entries(types)) {
    const found = JSON.stringify(data?.['order']);
    t.match(found, `{"name":"${name}","type":{"name":"${type}"`, name);
    t.match(JSON.stringify(data?.['input']), `{"name":"${name}","type":{"name":"${type}"`, name);
  }
  t.match(data?.['state'], {
    enumValues: [
      { name: 'OPEN', description: 'On the wire: "1"' },
      { name: 'SHIPPED', description: 'On the wire: "2"' },
    ],
  });
});

t.test('values of arguments are written as the texts of their fields', async (t) => {
  const { ask, sent, backend } = await useValues(t, () => '<id>1</id>');
  const values = `active: false, state: OPEN, placed: null, at: "2026-07-01T08:00:00Z",
    time: "01:02:03", total: -19.9, count: 42, note: null, flags: [true, false], codes: \
[BLUE], due: "2000-02-29"`;
  const answer = await ask(`mutation { saveOrder(order: { id: "1", ${values} }) }`);
  t.equal(answer.errors, undefined);
  for (const text of [
    '<active>N</active>',
    '<state>1</state>',
    '<placed>00000000</placed>',
    '<at>20260701100000</at>',
    '<time>010203</time>',
    '<total>-0001990</total>',
    '<count>42</count>',
    '<note/>',
    '<flags>J</flags><flags>N</flags>',
    '<code>B</code>',
    'due="29.02.00"',
  ])
    t.match(plain(sent()), text, text);
  backend.complete.length = 0;
  for (const [name, value] of [
    ['total', '1.999'],
    ['total', '1234567.00'],
    ['placed', '"2026-01-31+01:00"'],
    ['placed', '"12026-01-31"'],
    ['at', '"2026-01-31T09:30:00.5Z"'],
    ['at', '"2026-03-29T02:30:00"'],
    ['at', '"2026-10-25T02:30:00+01:00"'],
    ['time', '"09:30:00Z"'],
    ['due', '"1968-12-31"'],
    ['note', '" x"'],
    ['note', '"*"'],
  ] as const) {
    const refused = await ask(`mutation { saveOrder(order: { id: "1", ${name}: ${value} }) }`);
    t.match(refused.errors?.[0]?.extensions.code, 'BAD_USER_INPUT', `${name}: ${value}`);
    t.match(JSON.stringify(refused.errors), `order.${name}`, 'with its path');
  }
  t.equal(backend.complete.length, 0, 'nothing was sent');
});

t.test('a conversion of an argument goes before that of its field', async (t) => {
  const { ask, sent } = await useValues(t, () => '', {
    operations:
      '{ GetOrder: {}, SaveOrder: {}, FindOrders: { arguments: { active: { convert: { boolean: ' +
      '{ true: "1", false: "0" } } }, state: { convert: { enum: { ANY: "*" } } }, since: ' +
      '{ convert: { date: yyyyMMdd, nullWhen: ["00000000"] } }, most: { convert: { decimal: ' +
      '2 } }, flags: { convert: { integer: true, digits: 3 } } } } }',
  });
  await ask(
    '{ findOrders(active: true, state: ANY, since: "2026-01-31", most: ' +
      '"19.90", flags: [7, 12]) { id } }',
  );
  t.match(
    plain(sent()),
    '<active>1</active><state>*</state><since>20260131</since><most>1990</most>' +
      '<flags>007</flags><flags>012</flags>',
  );
  await ask('{ findOrders { id } }');
  t.match(plain(sent()), '<since>00000000</since>', 'null is its first text');
});

t.test('a conversion that cannot be is an error with its place', async (t) => {
  for (const [convert, error] of [
    ['{ date: yyyyMMdd, decimal: 2 }', 'has both'],
    ['{}', 'has no effect'],
    ['{ integer: false }', 'integer: false'],
    ['{ date: yyyyMMM }', 'The pattern has `MMM`'],
    ['{ date: yyyyMM }', 'has no day'],
    ['{ date: yyyyMd }', '`M` has no fixed width'],
    ['{ date: yyyyMMddHH }', 'The pattern of a date has `H`'],
    ['{ dateTime: yyyyMMddHHmmss }', 'without a zone'],
    ['{ dateTime: yyyyMMddHHmmssXXX, zone: UTC }', 'the pattern has an offset'],
    ['{ dateTime: yyyyMMddHHmmss, zone: Europe/Zurick }', 'is no time zone'],
    ['{ date: yyyyMMdd, zone: UTC }', 'has `zone` without'],
    ['{ date: yyyyMMdd, digits: 8 }', 'has `digits` without'],
    ['{ boolean: { true: J, false: J } }', 'is the text of `true` as well'],
    ['{ enum: { A: "1", B: "1" } }', 'is the text of `A` as well'],
    ['{ enum: { A: "1" }, nullWhen: ["1"] }', 'is the text of `A` as well'],
    ['{ enum: { true: "1" } }', 'which GraphQL does not have'],
    ['{ boolean: { true: J } }', 'false'],
  ] as const)
    await t.rejects(
      useValues(t, () => '', {
        types: `        Order: { fields: { note: { convert: ${convert} } } }\n`,
      }),
      { message: new RegExp(error) },
      convert,
    );
  for (const [field, error] of [
    ['note: { type: ID, convert: { trim: true } }', '`type` and `convert`'],
    ['note: { nullable: false, convert: { nullWhen: [""] } }', 'never null'],
    ['total: { convert: { decimal: 2 }, mask: last4 }', 'has a part or a hash'],
    ['codes: { convert: { trim: true } }, nothing: { convert: { trim: true } }', 'nothing'],
  ] as const)
    await t.rejects(
      useValues(t, () => '', { types: `        Order: { fields: { ${field} } }\n` }),
      { message: new RegExp(error) },
      field,
    );
});
