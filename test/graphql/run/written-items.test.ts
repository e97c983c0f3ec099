import t from 'tap';
import { WrittenItems } from '../../../src/graphql/run/written-items.js';
import { WrittenJson } from '../../../src/graphql/run/written-json.js';
import { desk, startDesk } from '../../acceptance/desk.js';

/** Lists that are long enough become text while they are read: what callers get is the same. */

const ITEMS = desk({
  types: `<xs:complexType name="Item"><xs:sequence>
  <xs:element name="n" type="xs:int" minOccurs="0"/><xs:element name="text" type="xs:string"/>
</xs:sequence></xs:complexType>`,
  reply:
    '<xs:element name="item" type="t:Item" nillable="true" minOccurs="0" maxOccurs="unbounded"/>',
});

const textOf = (n: number): string => `"é", <${n}>, ${'\\'} and 😀`;
const item = (n: number): string =>
  `<t:item><t:n>${n}</t:n><t:text>"é", &lt;${n}&gt;, ${'\\'} and &#128512;</t:text></t:item>`;
const replyOf = (items: readonly string[]): string =>
  `<t:GetResponse>${items.join('')}</t:GetResponse>`;
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);
const shown = (n: number) => ({ n, text: textOf(n) });

t.test('lists of any length are answered as they are, alone and side by side', async (t) => {
  const shop = await startDesk(t, { 'desk.wsdl': ITEMS });
  for (const count of [0, 1, 63, 64, 65, 127, 128, 200]) {
    const reply = replyOf(numbers(count).map(item));
    const expected = numbers(count).map(shown);
    t.same(
      await shop.ask('{ get { n text } }', reply).then(({ data }) => data),
      { get: expected },
      `${count}`,
    );
    t.same(
      await shop
        .ask('{ a: get(id: 1) { n text } b: get(id: 2) { text } }', reply)
        .then(({ data }) => data),
      { a: expected, b: expected.map(({ text }) => ({ text })) },
      `${count}, two of them`,
    );
  }
});

t.test('what is nil or wrong in a long list is where it is in a short one', async (t) => {
  const shop = await startDesk(t, { 'desk.wsdl': ITEMS });
  const items = numbers(200).map(item);
  items[70] = '<t:item xsi:nil="true"/>';
  items[150] = '<t:item><t:n>no number</t:n><t:text>x</t:text></t:item>';
  const { data, errors } = await shop.ask('{ get { n text } }', replyOf(items));
  const expected: unknown[] = numbers(200).map(shown);
  expected[70] = null;
  expected[150] = { n: null, text: 'x' };
  t.same(data, { get: expected });
  t.match(errors, [{ path: ['get', 150, 'n'], extensions: { code: 'UPSTREAM_SCHEMA_INVALID' } }]);
  t.equal(errors?.length, 1);
});

t.test(
  'a list that may not have a null is null as a whole, however much of it was text',
  async (t) => {
    const required = ITEMS.replace(' nillable="true"', '');
    const shop = await startDesk(t, { 'desk.wsdl': required });
    const items = numbers(200).map(item);
    items[150] = '<t:item><t:n>1</t:n></t:item>';
    const { data, errors } = await shop.ask(
      '{ get { n text } other: get(id: 1) { n } }',
      replyOf(items),
    );
    t.same(data, { get: null, other: items.map((_, n) => ({ n: n === 150 ? 1 : n })) });
    t.match(errors, [
      { path: ['get', 150, 'text'], extensions: { code: 'UPSTREAM_SCHEMA_INVALID' } },
    ]);
  },
);

t.test('a list of as many items as allowed is answered, and a longer one is null', async (t) => {
  const shop = await startDesk(
    t,
    { 'desk.wsdl': ITEMS },
    'limits: { codec: { listItems: 100 } }\n',
  );
  const reply = (count: number): string => replyOf(numbers(count).map(item));
  t.same((await shop.ask('{ get { n } }', reply(100))).data, {
    get: numbers(100).map((n) => ({ n })),
  });
  const { data, errors } = await shop.ask('{ get { n } }', reply(101));
  t.same(data, { get: null });
  t.match(errors, [{ path: ['get'], extensions: { code: 'UPSTREAM_RESPONSE_LIMIT' } }]);
});

t.test('binary content of a long list has addresses that work', async (t) => {
  const files = desk({
    types: `<xs:complexType name="File"><xs:sequence>
  <xs:element name="name" type="xs:string"/><xs:element name="content" type="xs:base64Binary"/>
</xs:sequence></xs:complexType>`,
    reply: '<xs:element name="file" type="t:File" minOccurs="0" maxOccurs="unbounded"/>',
  });
  const shop = await startDesk(
    t,
    { 'desk.wsdl': files },
    `graphql: { downloads: { keys: [${'k'.repeat(43)}] } }\n`,
  );
  const file = (n: number): string =>
    `<t:file><t:name>${n}</t:name><t:content>` +
    `${Buffer.from(`content ${n}`).toString('base64')}</t:content></t:file>`;
  const { data, errors } = await shop.ask(
    '{ get { name content @url } }',
    replyOf(numbers(150).map(file)),
  );
  t.same(errors, undefined);
  const { get } = data as { get: readonly { name: string; content: string }[] };
  t.equal(get.length, 150);
  for (const at of [0, 63, 64, 149]) {
    t.equal(await (await fetch(`${shop.gateway.url}${get[at]?.content}`)).text(), `content ${at}`);
  }
});

t.test('a long list is text, a short one is kept, and what was not handed out stays', async (t) => {
  const collect = (count: number): WrittenItems => {
    const items = new WrittenItems();
    for (const n of numbers(count)) items.item(n);
    return items;
  };
  t.same(collect(63).listFor([]), numbers(63));
  for (const count of [64, 65, 128, 1000]) {
    const list = collect(count).listFor([]);
    t.ok(list instanceof WrittenJson && list.text === JSON.stringify(numbers(count)), `${count}`);
  }
  t.equal(collect(1000).listFor(null), null);
  const kept = [1];
  t.equal(collect(0).listFor(kept), kept);
});
