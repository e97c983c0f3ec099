import t, { type Test } from 'tap';
import { type RecordingBackend, startRecordingBackend } from '../kit/backend.js';
import { clientsOf, keyOf } from '../kit/crm.js';
import { startTestGateway, type TestGateway } from '../kit/gateway.js';

/** The forms of answers over REST: from the cache, unchanged, compressed, as bytes. */

const OPERATIONS = ['GetPhoto', 'GetCard', 'ListCards'];

const PRICE =
  '<xs:element name="price" minOccurs="0"><xs:simpleType><xs:restriction base="xs:decimal"><xs:totalDigits value="5"/><xs:fractionDigits value="2"/></xs:restriction></xs:simpleType></xs:element>';

const SCHEMA = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:cards" targetNamespace="urn:cards" elementFormDefault="qualified">
<xs:complexType name="Card"><xs:sequence><xs:element name="id" type="xs:int"/><xs:element name="name" type="xs:string"/></xs:sequence></xs:complexType>
${OPERATIONS.map((name) => `<xs:element name="${name}"><xs:complexType><xs:sequence><xs:element name="id" type="xs:int"/>${name === 'ListCards' ? PRICE : ''}</xs:sequence></xs:complexType></xs:element>`).join('\n')}
<xs:element name="GetPhotoResponse"><xs:complexType><xs:sequence><xs:element name="photo" type="xs:base64Binary" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>
<xs:element name="GetCardResponse"><xs:complexType><xs:sequence><xs:element name="card" type="t:Card"/></xs:sequence></xs:complexType></xs:element>
<xs:element name="ListCardsResponse"><xs:complexType><xs:sequence><xs:element name="card" type="t:Card" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
</xs:schema>`;

const WSDL = `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:t="urn:cards" targetNamespace="urn:cards">
<types>${SCHEMA}</types>
${OPERATIONS.flatMap((name) => [name, `${name}Response`])
  .map((name) => `<message name="${name}"><part name="p" element="t:${name}"/></message>`)
  .join('\n')}
<portType name="P">${OPERATIONS.map((name) => `<operation name="${name}"><input message="t:${name}"/><output message="t:${name}Response"/></operation>`).join('\n')}</portType>
<binding name="B" type="t:P"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
${OPERATIONS.map((name) => `<operation name="${name}"><soap:operation soapAction="${name}"/><input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation>`).join('\n')}
</binding><service name="S"><port name="Port" binding="t:B"><soap:address location="http://cards.example/"/></port></service></definitions>`;

const PHOTO = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 254]);

interface Cards {
  readonly gateway: TestGateway;
  readonly backend: RecordingBackend;
  /** The name of each card. */
  name: string;
}

async function start(t: Test, operations = '', more = ''): Promise<Cards> {
  const home = t.testdir({ 'cards.wsdl': WSDL });
  const state = { name: 'Ada' };
  const backend = await startRecordingBackend(({ body }, response) => {
    const text = body.toString();
    const [, operation = ''] = /Body>\s*<(?:\w+:)?(\w+)/.exec(text) ?? [];
    const id = Number(/id[^>]*>(\d+)</.exec(text)?.[1]);
    const card = (each: number): string => `<card><id>${each}</id><name>${state.name}</name></card>`;
    const photo = id === 0 ? '' : `<photo>${PHOTO.toString('base64')}</photo>`;
    const list = (): string => Array.from({ length: id }, (_, at) => card(at)).join('');
    const content = operation === 'GetPhoto' ? photo : operation === 'GetCard' ? card(id) : list();
    response.writeHead(200, { 'content-type': 'text/xml; charset=utf-8' });
    response.end(
      `<E:Envelope xmlns:E="http://schemas.xmlsoap.org/soap/envelope/"><E:Body><${operation}Response xmlns="urn:cards">${content}</${operation}Response></E:Body></E:Envelope>`,
    );
  });
  const service = `{ wsdl: cards.wsdl, url: "${backend.url}/cards", rest: true${operations} }`;
  const gateway = await startTestGateway(`services:\n  cards: ${service}\n${more}`, home);
  t.teardown(async () => {
    await gateway.close();
    await backend.close();
  });
  return Object.assign(state, { gateway, backend });
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
const jsonOf = async (answer: Response): Promise<any> => answer.json();

const get = (cards: Cards, path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${cards.gateway.url}/rest/cards/${path}`, { headers });

const CACHED =
  ', operations: { GetCard: { read: { cacheMillis: 60000, scope: shared } }, ListCards: {}, GetPhoto: {} }';

t.test('an answer of a cached operation has a tag, and 304 tells that it is the same', async (t) => {
  const cards = await start(t, CACHED);
  const first = await get(cards, 'GetCard?id=7');
  const tag = first.headers.get('etag') ?? '';
  t.match(tag, /^W\/"[\w-]{22}"$/);
  t.match(first.headers.get('cache-control'), /^max-age=\d+, public$/);
  t.same(await first.json(), { id: 7, name: 'Ada' });
  for (const field of [tag, `"other", ${tag}`, tag.slice(2), '*']) {
    const same = await get(cards, 'GetCard?id=7', { 'if-none-match': field });
    t.equal(same.status, 304, field);
    t.equal(same.headers.get('etag'), tag);
    t.match(same.headers.get('cache-control'), /^max-age=/);
    t.equal(same.headers.get('content-type'), null);
    t.equal(await same.text(), '');
  }
  t.equal(cards.backend.begun, 1, 'from the cache');
  t.match(await cards.gateway.accessLine(2), { status: 304, outcome: 'ok' });
  const other = await get(cards, 'GetCard?id=8', { 'if-none-match': tag });
  t.equal(other.status, 200);
  t.not(other.headers.get('etag'), tag);
  const fewer = await get(cards, 'GetCard?id=7&fields=id', { 'if-none-match': tag });
  t.equal(fewer.status, 200, 'other fields are another answer');
});

t.test('what is not cached, and no GET, has no tag', async (t) => {
  const cards = await start(t, CACHED);
  for (const path of ['ListCards?id=2', 'GetCard?id=x']) {
    const answer = await get(cards, path, { 'if-none-match': '*' });
    t.not(answer.status, 304, path);
    t.equal(answer.headers.get('etag'), null, path);
    t.equal(answer.headers.get('cache-control'), 'no-store', path);
  }
  const posted = await fetch(`${cards.gateway.url}/rest/cards/GetCard`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'if-none-match': '*' },
    body: '{"id":7}',
  });
  t.equal(posted.status, 200);
  t.equal(posted.headers.get('etag'), null);
});

t.test('each client is asked for its rights before it gets 304, and a mask makes another tag', async (t) => {
  const masked = ', schema: { types: { Card: { fields: { name: { mask: { reader: "null" } } } } } }';
  const clients = clientsOf({ full: '{}', reader: '{}', other: '{ deny: [cards.GetCard] }' });
  const cards = await start(t, `${CACHED}${masked}`, clients);
  const as = (name: string, more: Record<string, string> = {}): Promise<Response> =>
    get(cards, 'GetCard?id=7', { 'x-api-key': keyOf(name), ...more });
  const full = await as('full');
  const tag = full.headers.get('etag') ?? '';
  t.match(full.headers.get('cache-control'), /private$/);
  t.match(full.headers.get('vary'), /x-api-key/);
  const reader = await as('reader', { 'if-none-match': tag });
  t.equal(reader.status, 200);
  t.not(reader.headers.get('etag'), tag);
  t.equal((await jsonOf(reader)).name, null);
  t.equal((await as('full', { 'if-none-match': tag })).status, 304);
  t.equal((await as('other', { 'if-none-match': tag })).status, 403);
  t.equal((await get(cards, 'GetCard?id=7', { 'if-none-match': tag })).status, 401);
});

t.test('a long answer is compressed for clients that take it', async (t) => {
  const cards = await start(t);
  const answer = await get(cards, 'ListCards?id=200', { 'accept-encoding': 'gzip' });
  t.equal(answer.headers.get('content-encoding'), 'gzip');
  t.equal((await jsonOf(answer)).length, 200);
  const plain = await get(cards, 'ListCards?id=200', { 'accept-encoding': 'identity' });
  t.equal(plain.headers.get('content-encoding'), null);
});

t.test('one value of bytes is answered as such where it is asked for', async (t) => {
  const cards = await start(t);
  const photo = await get(cards, 'GetPhoto?id=7', { accept: 'application/octet-stream' });
  t.equal(photo.status, 200);
  t.equal(photo.headers.get('content-type'), 'application/octet-stream');
  t.same(Buffer.from(await photo.arrayBuffer()), PHOTO);
  const none = await get(cards, 'GetPhoto?id=0', { accept: 'application/octet-stream' });
  t.equal(none.status, 204);
  t.equal(await none.text(), '');
  for (const accept of ['*/*', 'application/json', 'text/html, application/json, application/octet-stream']) {
    const json = await get(cards, 'GetPhoto?id=7', { accept });
    t.equal(await json.json(), PHOTO.toString('base64'), accept);
  }
  const object = await get(cards, 'GetCard?id=7', { accept: 'application/octet-stream' });
  t.match(await object.json(), { id: 7 });
  const bad = await get(cards, 'GetPhoto?id=x', { accept: 'application/octet-stream' });
  t.equal(bad.status, 400);
  t.equal(bad.headers.get('content-type'), 'application/problem+json');
  const described = await jsonOf(await fetch(`${cards.gateway.url}/rest/openapi.json`));
  t.same(Object.keys(described.paths['/rest/cards/GetPhoto'].get.responses['200'].content), [
    'application/json',
    'application/octet-stream',
  ]);
});

t.test('the description has the digits of numbers, and takes what the gateway takes', async (t) => {
  const cards = await start(t);
  const described = await jsonOf(await fetch(`${cards.gateway.url}/rest/openapi.json`));
  const { schema } = described.paths['/rest/cards/ListCards'].post.requestBody.content['application/json'];
  const named = schema.$ref?.split('/').at(-1);
  const { properties } = named === undefined ? schema : described.components.schemas[named];
  const { pattern, exclusiveMinimum, exclusiveMaximum } = properties.price;
  t.same([exclusiveMinimum, exclusiveMaximum], [-100_000, 100_000]);
  const digits = new RegExp(pattern, 'u');
  for (const [price, isTaken] of [
    ['123.45', true],
    ['-0123.4500', true],
    ['.5', true],
    ['12345', true],
    ['7.', true],
    ['1.234', false],
    ['123456', false],
    ['.125', false],
  ] as const) {
    const answer = await fetch(`${cards.gateway.url}/rest/cards/ListCards`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 1, price }),
    });
    await answer.body?.cancel();
    t.equal(answer.status, isTaken ? 200 : 400, price);
    t.equal(digits.test(price), isTaken, `${price} and the pattern`);
  }
});
