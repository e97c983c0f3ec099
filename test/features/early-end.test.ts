import { resolve } from 'node:path';
import t, { type Test } from 'tap';

import type { RecordingBackend } from '../kit/backend.js';
import { envelope } from '../kit/envelope.js';
import { useFolder, useService } from '../kit/use.js';
import { schemaWith, wsdlWith } from '../wsdl/written.js';

const DESK =
  'xmlns:d="http://legacy.example.com/desk" xmlns:y="http://legacy.example.com/desk/types"';
const [HEAD = '', TAIL = ''] = envelope(
  `<d:GetOrderResponse ${DESK}><d:order><y:id>7</y:id>|</d:order></d:GetOrderResponse>`,
).split('|');
const MORE = '<y:note>x</y:note>';
const BROKEN = `${TAIL}</broken>`;

/** A backend that sends what is asked for, and then more without an end, or `end`. */
async function startDesk(t: Test, keys: string, end: string | null) {
  let isOver = (): void => {};
  const over = new Promise<void>((done) => {
    isOver = done;
  });
  const answer: RecordingBackend['answer'] = (_message, response) => {
    response.writeHead(200, { 'content-type': 'text/xml' });
    response.write(HEAD);
    const timer = end === null ? setInterval(() => response.write(MORE), 5) : undefined;
    response.once('close', () => {
      clearInterval(timer);
      isOver();
    });
    if (end !== null) response.end(MORE + end);
  };
  const operations = 'operations: { GetOrder: { field: Query.order } }';
  const yaml = (url: string): string =>
    `services: { desk: { wsdl: ${resolve('config/demo/legacy.wsdl')}, url: ` +
    `"${url}/d", ${keys} ${operations} } }\n`;
  const { gateway, ask } = await useService(t, answer, yaml);
  /** `over`: the backend's answer is over, one way or another. */
  return { gateway, over, ask: () => ask('{ order(id: 7) { id } }') };
}

t.test(
  'a reply that has no end is answered as soon as it can be, where the service says so',
  async (t) => {
    const { gateway, ask, over } = await startDesk(t, 'earlyEnd: true,', null);
    t.same(await ask(), { data: { order: { id: '7' } } });
    await over;
    t.match(await gateway.accessLine(), { outcome: 'ok', status: 200, upstreamCalls: 1 });
  },
);

t.test('what must be valid is read to its end all the same', async (t) => {
  const { ask } = await startDesk(t, 'earlyEnd: true, validate: { replies: enforce },', BROKEN);
  t.match(await ask(), { data: { order: null }, errors: [{ path: ['order'] }] });
});

t.test('by default the whole message is validated', async (t) => {
  const { ask } = await startDesk(t, '', BROKEN);
  t.match(await ask(), {
    data: { order: null },
    errors: [{ extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }],
  });
});

t.test(
  'a list is over, and what may be missing is, as soon as something comes that stands behind it',
  async (t) => {
    const types =
      schemaWith(`<xs:element name="Find"><xs:complexType/></xs:element><xs:element name="Found">\
<xs:complexType><xs:sequence>
    <xs:element name="hit" type="xs:string" minOccurs="0" maxOccurs="unbounded"/>\
<xs:element name="more" type="xs:int" minOccurs="0"/>
    <xs:element name="total" type="xs:int"/><xs:element name="log" type="xs:string" \
maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>`);
    const messages =
      '<message name="In"><part name="p" element="t:Find"/></message><message name="Out">' +
      '<part name="p" element="t:Found"/></message>';
    const folder = await useFolder(t, { 'a.wsdl': wsdlWith({ types, messages }) });
    const [head = ''] = envelope('<Found xmlns="urn:t"><hit>a</hit><hit>b</hit>|').split('|');
    const answer: RecordingBackend['answer'] = (_message, response) => {
      response.writeHead(200, { 'content-type': 'text/xml' }).write(head);
      let at = 0;
      const timer = setInterval(
        () =>
          response.write(
            at++ < 3 ? '<hit>c</hit>' : at === 4 ? '<total>7</total>' : '<log>x</log>',
          ),
        5,
      );
      response.once('close', () => clearInterval(timer));
    };
    const keys = 'earlyEnd: true, operations: { Get: { field: Query.find } }';
    const yaml = (url: string): string =>
      `services: { desk: { wsdl: a.wsdl, url: "${url}/d", ${keys} } }\n`;
    const service = await useService(t, answer, yaml, folder);
    const ask = (selected: string) => service.ask(`{ find { ${selected} } }`);
    const hits = ['a', 'b', 'c', 'c', 'c'];
    t.strictSame(
      await ask('hit'),
      { data: { find: { hit: hits } } },
      'what comes then need not be asked for',
    );
    t.strictSame(await ask('hit more'), { data: { find: { hit: hits, more: null } } });
    t.strictSame(await ask('total hit'), { data: { find: { total: 7, hit: hits } } });
  },
);
