import t, { type Test } from 'tap';
import { answerOperations } from '../kit/backend.js';
import { postJson } from '../kit/graphql-client.js';
import { useFolder, useService } from '../kit/use.js';
import { wsdlOf } from '../kit/wsdl.js';

/** Idempotency keys of agents, and as clients that are made from the description learn of them. */

const SCHEMA = ['Pay', 'GetPayment']
  .map(
    (name) => `
<xs:element name="${name}"><xs:complexType><xs:sequence>
  <xs:element name="sum" type="xs:int" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>
<xs:element name="${name}Response"><xs:complexType><xs:sequence>
  <xs:element name="receipt" type="xs:string"/></xs:sequence></xs:complexType></xs:element>`,
  )
  .join('');

const KEY = 'soapstone/idempotency-key';

async function startPayments(t: Test, more = '') {
  let receipts = 0;
  const { backend, gateway } = await useService(
    t,
    answerOperations('urn:pay', () => `<receipt>R${++receipts}</receipt>`),
    (url) => `services:
  bank:
    wsdl: pay.wsdl
    url: "${url}"
    rest: true
    operations: { Pay: { idempotency: { header: Payment-Key } } }
mcp: { operations: [bank.*], write: [bank.Pay] ${more} }
`,
    await useFolder(t, { 'pay.wsdl': wsdlOf('urn:pay', SCHEMA, ['Pay', 'GetPayment']) }),
  );
  const call = async (
    name: string,
    values: object,
    key?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const _meta = key === undefined ? {} : { _meta: { [KEY]: key } };
    const params = { name, arguments: values, ..._meta };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const accept = 'application/json, text/event-stream';
    const answer = await postJson(`${gateway.url}/mcp`, message, { accept, ...headers });
    return JSON.parse(await answer.text());
  };
  return { backend, gateway, call };
}

const paid = (receipt: string) => ({ result: { structuredContent: { result: receipt } } });

t.test('a call of a tool that comes again under its key is answered, not made', async (t) => {
  const { backend, call } = await startPayments(t);
  t.match(await call('pay', { sum: 1 }, 'a'), paid('R1'));
  t.match(await call('pay', { sum: 1 }, 'a'), paid('R1'));
  t.match(await call('pay', { sum: 1 }, 'b'), paid('R2'));
  t.match(await call('pay', { sum: 1 }), paid('R3'));
  t.match(await call('pay', { sum: 2 }, 'a'), { result: { isError: true } });
  t.equal(backend.complete.length, 3);
  t.match(await call('getPayment', { sum: 1 }, 'a'), paid('R4'), 'the operation takes no key');
});

t.test('the key of the message counts, not that of its header fields', async (t) => {
  const { backend, call } = await startPayments(t);
  const field = { 'payment-key': 'field' };
  t.match(await call('pay', { sum: 1 }, undefined, field), paid('R1'));
  t.match(await call('pay', { sum: 1 }, 'own', field), paid('R2'));
  t.match(await call('pay', { sum: 1 }, 'own'), paid('R2'));
  t.match(await call('pay', { sum: 1 }, undefined, field), paid('R1'));
  t.equal(backend.complete.length, 2);
});

t.test('what is no key is an error, and nothing is sent', async (t) => {
  const { backend, call } = await startPayments(t);
  for (const key of ['', 'two words', 'x'.repeat(256), 7, null, {}, 'é'])
    t.match(await call('pay', { sum: 1 }, key), {
      error: { code: -32602, message: /must be a single word of at most 255 characters/ },
    });
  t.equal(backend.complete.length, 0);
});

t.test('the description has the key of an operation, and its failures', async (t) => {
  const { gateway } = await startPayments(t);
  const { paths } = JSON.parse(await (await fetch(`${gateway.url}/rest/openapi.json`)).text());
  const { post: pay } = paths['/rest/bank/Pay'];
  t.match(
    pay.parameters.find((each: { in: string }) => each.in === 'header'),
    { name: 'Payment-Key', required: false, schema: { type: 'string', maxLength: 255 } },
  );
  t.match(pay.responses['409'].description, 'under way');
  t.match(pay.responses['422'].description, 'another request');
  const { get: payment } = paths['/rest/bank/GetPayment'];
  t.notOk(payment.parameters.some((each: { in: string }) => each.in === 'header'));
  t.notOk('409' in payment.responses);
  const pay1 = () =>
    postJson(`${gateway.url}/rest/bank/Pay`, { sum: 1 }, { 'payment-key': 'described' });
  t.equal(await (await pay1()).text(), await (await pay1()).text());
});
