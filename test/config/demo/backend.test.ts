import { once } from 'node:events';
import { request } from 'node:http';
import t from 'tap';
import { startDemoBackend } from '../../../config/demo/backend.js';

const ENVELOPES = {
  '2001-12': 'http://www.w3.org/2001/12/soap-envelope',
  '1.1': 'http://schemas.xmlsoap.org/soap/envelope/',
  '1.2': 'http://www.w3.org/2003/05/soap-envelope',
} as const;
type Version = keyof typeof ENVELOPES;
const ENCODING_2001 = 'xmlns:enc="http://www.w3.org/2001/12/soap-encoding"';
const DESK = 'http://legacy.example.com/desk';

const demo = await startDemoBackend('127.0.0.1', 0);
t.teardown(() => demo.close());

function envelope(version: Version, body: string, header = ''): string {
  const encoding = version === '2001-12' ? ENCODING_2001 : '';
  const head = header === '' ? '' : `<s:Header>${header}</s:Header>`;
  return (
    `<s:Envelope xmlns:s="${ENVELOPES[version]}" ${encoding} xmlns="${DESK}" ` +
    `xmlns:t="${DESK}/types">${head}<s:Body>${body}</s:Body></s:Envelope>`
  );
}

async function post(message: string | Buffer, contentType = 'text/xml; charset=utf-8') {
  const response = await fetch(demo.url, {
    method: 'POST',
    body: message,
    headers: { 'content-type': contentType },
  });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    headers: response.headers,
    length: response.headers.get('content-length'),
    text: await response.text(),
  };
}

const call = (version: Version, body: string, header = '') => post(envelope(version, body, header));

for (const [version, mediaType] of [
  ['2001-12', 'application/soap+xml'],
  ['1.1', 'text/xml'],
  ['1.2', 'application/soap+xml'],
] as const) {
  t.test(`dialect ${version}: the reply and its Faults are in the caller's dialect`, async (t) => {
    const order = await call(version, '<GetOrder><id>4</id></GetOrder>');
    t.equal(order.status, 200);
    t.equal(order.type, `${mediaType}; charset=utf-8`);
    t.match(order.text, `<env:Envelope xmlns:env="${ENVELOPES[version]}"`);
    t.equal(order.text.includes(ENCODING_2001), version === '2001-12');
    t.match(order.text, '<t:serial>9007199254740997</t:serial>');
    t.match(order.text, '<t:placedAt>2024-05-05T12:04:00+02:00</t:placedAt>');
    t.match(order.text, '<t:price>19.90</t:price>');
    t.match(order.text, '<t:engraving xsi:nil="true"/>');

    const fault = await call(version, '<GetOrder><id>0</id></GetOrder>');
    t.equal(fault.status, version === '1.2' ? 400 : 500);
    t.match(
      fault.text,
      {
        '2001-12': '<faultcode>Client</faultcode>',
        '1.1': '<faultcode>env:Client</faultcode>',
        '1.2': '<env:Value>env:Sender</env:Value>',
      }[version],
    );
    t.match(fault.text, '<d:code>404</d:code><d:field>id</d:field>');

    const header = `<Other s:mustUnderstand="1"/>`;
    const misunderstood = await call(version, '<WhoAmI/>', header);
    t.equal(misunderstood.status, 500);
    t.match(misunderstood.text, 'MustUnderstand');
    t.match((await call(version, '<Nothing/>')).text, 'There is no such operation');
    t.match(
      (await post(`<s:Envelope xmlns:s="${ENVELOPES[version]}" ${ENCODING_2001}/>`)).text,
      'one Body',
    );
  });
}

t.test('what cannot be read', async (t) => {
  const cut = (version: Version) => post(envelope(version, '<WhoAmI/>').slice(0, -3));
  t.match(await cut('2001-12'), { status: 400, text: '', length: '0' });
  t.match(await cut('1.1'), { status: 500, text: /env:Client/ });
  t.match(await cut('1.2'), { status: 400, text: /env:Sender/ });
  t.match(await post('nothing', 'application/soap+xml'), { status: 400, text: /soap-envelope/ });
  t.match(await post(Buffer.from([0x3c, 0xff])), { status: 500 });
  t.match(await post(`<!DOCTYPE a>${envelope('1.1', '<WhoAmI/>')}`), { status: 500 });
  t.match(await post('<s:Envelope xmlns:s="urn:other"/>'), {
    status: 500,
    text: /VersionMismatch/,
  });
  t.match(await post(envelope('2001-12', '<WhoAmI/>').replace(ENCODING_2001, '')), {
    text: /encoding namespace/,
  });
  t.match(await post('<a>'.repeat(100)), { status: 500 });
  t.match(await post('<'.repeat(1024 * 1024 + 1)), { status: 413 });
});

t.test('a 2001-12 message needs a length', async (t) => {
  const chunked = request(demo.url, {
    method: 'POST',
    headers: { 'content-type': 'application/soap+xml' },
  });
  chunked.write(envelope('2001-12', '<WhoAmI/>'));
  chunked.end();
  const [response] = await once(chunked, 'response');
  t.equal(response.statusCode, 411);
  response.resume();
});

t.test('the Session header', async (t) => {
  const session = (token: string) =>
    `<Session s:mustUnderstand="1"><clerk>ann &amp; co</clerk><token>${token}</token></Session>`;
  t.match((await call('1.1', '<WhoAmI/>')).text, '<d:clerk>anonymous</d:clerk>');
  t.match(
    (await call('1.1', '<WhoAmI/>', session('s3cret'))).text,
    '<d:clerk>ann &#38; co</d:clerk>',
  );
  t.match(await call('1.1', '<WhoAmI/>', session('wrong')), { status: 500, text: /not known/ });
});

t.test('lists: absent, empty, one, several, nil', async (t) => {
  t.notMatch((await call('1.1', '<GetOrder><id>11</id></GetOrder>')).text, 't:lines');
  t.match((await call('1.1', '<GetOrder><id>5</id></GetOrder>')).text, '<t:lines></t:lines>');
  const count = (text: string, tag: string) => text.split(tag).length - 1;
  t.equal(
    count((await call('1.1', '<ListOrders><limit>0</limit></ListOrders>')).text, '<d:order '),
    0,
  );
  t.equal(
    count((await call('1.1', '<ListOrders><limit>5</limit></ListOrders>')).text, '<d:order '),
    5,
  );
  t.equal(
    count(
      (await call('1.1', '<ListOrders><status>ON HOLD</status></ListOrders>')).text,
      '<t:status>ON HOLD<',
    ),
    20,
  );
  t.match(
    (await call('1.1', '<ListOrders><limit>many</limit></ListOrders>')).text,
    'is not an int',
  );
  t.match(
    (await call('1.1', '<FindCustomers><name>none</name></FindCustomers>')).text,
    '<d:customers></d:customers>',
  );
  t.equal(
    count((await call('1.1', '<FindCustomers><vip>1</vip></FindCustomers>')).text, '<t:Customer>'),
    14,
  );
  t.match(
    (await call('1.1', '<GetCustomer><code>x</code></GetCustomer>')).text,
    '<d:customer xsi:nil="true"/>',
  );
  t.match(
    (await call('1.1', '<GetCustomer><code>C001</code></GetCustomer>')).text,
    '<t:creditLimit>1000.50</t:creditLimit>',
  );
  t.match(
    (await call('1.1', '<GetInventory><sku>AX-100</sku></GetInventory>')).text,
    '<t:countedOn>2024-05-30+02:00<',
  );
  t.match(
    (await call('1.1', '<GetInventory><sku>XX-0</sku></GetInventory>')).text,
    '<d:code>404</d:code>',
  );
});

t.test('orders are placed, read again, cancelled, forgotten', async (t) => {
  const place = (quantity: number, price: string, customer = 'C003') =>
    call(
      '1.1',
      `<PlaceOrder><order><t:customerCode>${customer}</t:customerCode><t:note>a &lt; ` +
        'b</t:note><t:lines><t:OrderLine no="1"><t:sku>AX-100</t:sku><t:quantity>' +
        `${quantity}</t:quantity><t:price>${price}</t:price></t:OrderLine>` +
        '</t:lines></order></PlaceOrder>',
    );
  const receipt = (await place(2, '9.95')).text;
  t.match(receipt, '<t:total>19.90</t:total><t:warning>no due date</t:warning>');
  const id = /<t:orderId>(\d+)</.exec(receipt)?.[1];
  t.match(
    (await call('1.2', `<GetOrder><id>${id}</id></GetOrder>`)).text,
    '<t:note>a &#60; b</t:note>',
  );
  t.match(
    (await call('1.2', `<CancelOrder><id>${id}</id></CancelOrder>`)).text,
    '<d:status>CANCELLED</d:status>',
  );
  t.match(
    (await call('1.2', `<GetOrder><id>${id}</id></GetOrder>`)).text,
    '<t:status>CANCELLED</t:status>',
  );
  t.match(
    (await call('1.1', '<CancelOrder><id>3</id></CancelOrder>')).text,
    '<d:code>409</d:code>',
  );
  t.match((await place(0, '9.95')).text, '<d:field>lines[1].quantity</d:field>');
  t.match((await place(1, 'dear')).text, '<d:field>lines[1].price</d:field>');
  t.match((await place(1, '1', 'C999')).text, '<d:field>customerCode</d:field>');
  t.match((await call('1.1', '<PlaceOrder/>')).text, 'order is missing');
  t.match((await call('1.1', '<ResetDesk/>')).text, 'ResetDeskResponse');
  t.match((await call('1.1', `<GetOrder><id>${id}</id></GetOrder>`)).text, '<d:code>404</d:code>');
});

t.test('Slow takes its time, Export counts, one-way has no reply', async (t) => {
  const start = performance.now();
  t.match((await call('1.1', '<Slow><ms>60</ms></Slow>')).text, '<d:ms>60</d:ms>');
  t.ok(performance.now() - start >= 59);
  const ledger = await call('1.1', '<Export><count>20000</count></Export>');
  t.equal(ledger.text.split('<d:record>').length - 1, 20000);
  t.equal(ledger.headers.get('transfer-encoding'), 'chunked');
  t.match(ledger.text, '<t:n>20000</t:n><t:serial>9007199254760993</t:serial>');
  const oneWay = await call(
    '1.1',
    '<NotifyShipment><orderId>1</orderId><carrier>post</carrier></NotifyShipment>',
  );
  t.match(oneWay, { status: 202, text: '' });
});

t.test('a caller that leaves does not hold a slow call', async (t) => {
  const abort = new AbortController();
  const slow = request(demo.url, { method: 'POST', signal: abort.signal });
  slow.end(envelope('1.1', '<Slow><ms>60000</ms></Slow>'));
  await once(slow, 'finish');
  abort.abort();
  await t.rejects(once(slow, 'response'));
});

t.test('GET: the WSDL with its address, the schema beside it, calls of old toolkits', async (t) => {
  const wsdl = await (await fetch(`${demo.url}?wsdl`)).text();
  t.match(wsdl, `<soap:address location="${demo.url}"/>`);
  t.match(wsdl, `<soap12:address location="${demo.url}"/>`);
  const schema = await fetch(new URL('legacy.xsd', demo.url));
  t.match(await schema.text(), 'targetNamespace="http://legacy.example.com/desk/types"');
  const called = await fetch(`${demo.url}?method=GetInventory&sku=AX-100`);
  t.match(await called.text(), '<t:sku>AX-100</t:sku>');
  t.equal((await fetch(demo.url)).status, 405);
  t.equal((await fetch(new URL('/else', demo.url), { method: 'POST' })).status, 404);
});
