import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import t, { type Test } from 'tap';

import { askGraphql } from '../kit/graphql-client.js';
import { useBackend, useGateway } from '../kit/use.js';
import { schemaWith, wsdlWith } from '../wsdl/written.js';

const HEAD =
  '<E:Envelope xmlns:E="http://schemas.xmlsoap.org/soap/envelope/" xmlns:d="http://legacy.example.com/desk" ' +
  'xmlns:y="http://legacy.example.com/desk/types"><E:Body><d:GetOrderResponse><d:order><y:id>7</y:id>';
const MORE = '<y:note>x</y:note>';
const BROKEN = '</d:order></d:GetOrderResponse></E:Body></E:Envelope></broken>';

/** A backend that sends what is asked for, and then more without an end, or `end`. */
async function startDesk(t: Test, keys: string, end: string | null) {
  let isOver = (): void => {};
  const over = new Promise<void>((done) => {
    isOver = done;
  });
  const backend = await useBackend(t, (_message, response) => {
    response.writeHead(200, { 'content-type': 'text/xml' });
    response.write(HEAD);
    const timer = end === null ? setInterval(() => response.write(MORE), 5) : undefined;
    response.once('close', () => {
      clearInterval(timer);
      isOver();
    });
    if (end !== null) response.end(MORE + end);
  });
  const wsdl = resolve('config/demo/legacy.wsdl');
  const gateway = await useGateway(
    t,
    `services: { desk: { wsdl: ${wsdl}, url: "${backend.url}/d", ${keys} operations: { GetOrder: { field: Query.order } } } }\n`,
  );
  return {
    gateway,
    /** The backend's answer is over, one way or another. */
    over,
    async ask(): Promise<unknown> {
      return askGraphql(gateway.url, '{ order(id: 7) { id } }');
    },
  };
}

t.test('a reply that has no end is answered as soon as it can be, where the service says so', async (t) => {
  const { gateway, ask, over } = await startDesk(t, 'earlyEnd: true,', null);
  t.same(await ask(), { data: { order: { id: '7' } } });
  await over;
  t.match(await gateway.accessLine(), { outcome: 'ok', status: 200, upstreamCalls: 1 });
});

t.test('what must be valid is read to its end all the same', async (t) => {
  const { ask } = await startDesk(t, 'earlyEnd: true, validate: { replies: enforce },', BROKEN);
  t.match(await ask(), { data: { order: null }, errors: [{ path: ['order'] }] });
});

t.test('by default the whole message is validated', async (t) => {
  const { ask } = await startDesk(t, '', BROKEN);
  t.match(await ask(), { data: { order: null }, errors: [{ extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }] });
});

t.test('a list is over, and what may be missing is, as soon as something comes that stands behind it', async (t) => {
  const types =
    schemaWith(`<xs:element name="Find"><xs:complexType/></xs:element><xs:element name="Found"><xs:complexType><xs:sequence>
    <xs:element name="hit" type="xs:string" minOccurs="0" maxOccurs="unbounded"/><xs:element name="more" type="xs:int" minOccurs="0"/>
    <xs:element name="total" type="xs:int"/><xs:element name="log" type="xs:string" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>`);
  const folder = t.testdir({});
  const messages =
    '<message name="In"><part name="p" element="t:Find"/></message><message name="Out"><part name="p" element="t:Found"/></message>';
  writeFileSync(join(folder, 'a.wsdl'), wsdlWith({ types, messages }));
  const backend = await useBackend(t, (_message, response) => {
    response.writeHead(200, { 'content-type': 'text/xml' });
    response.write(
      '<E:Envelope xmlns:E="http://schemas.xmlsoap.org/soap/envelope/"><E:Body><Found xmlns="urn:t"><hit>a</hit><hit>b</hit>',
    );
    let at = 0;
    const timer = setInterval(
      () => response.write(at++ < 3 ? '<hit>c</hit>' : at === 4 ? '<total>7</total>' : '<log>x</log>'),
      5,
    );
    response.once('close', () => clearInterval(timer));
  });
  const gateway = await useGateway(
    t,
    `services: { desk: { wsdl: "${join(folder, 'a.wsdl')}", url: "${backend.url}/d", earlyEnd: true, operations: { Get: { field: Query.find } } } }\n`,
  );
  const ask = (selected: string) => askGraphql(gateway.url, `{ find { ${selected} } }`);
  const hits = ['a', 'b', 'c', 'c', 'c'];
  t.strictSame(await ask('hit'), { data: { find: { hit: hits } } }, 'what comes then need not be asked for');
  t.strictSame(await ask('hit more'), { data: { find: { hit: hits, more: null } } });
  t.strictSame(await ask('total hit'), { data: { find: { total: 7, hit: hits } } });
});
