import t, { type Test } from 'tap';
import { answerOperations } from '../kit/backend.js';
import { clientsOf, keyOf } from '../kit/crm.js';
import { textIn } from '../kit/envelope.js';
import { postJson } from '../kit/graphql-client.js';
import { useFolder, useService } from '../kit/use.js';
import { element, wrapper, wsdlOf } from '../kit/wsdl.js';

/** The forms of answers over REST: from the cache, unchanged, compressed, as bytes. */

const OPERATIONS = ['GetPhoto', 'GetCard', 'ListCards'];

const PRICE =
  '<xs:element name="price" minOccurs="0"><xs:simpleType><xs:restriction base="xs:decimal">' +
  '<xs:totalDigits value="5"/><xs:fractionDigits value="2"/></xs:restriction>' +
  '</xs:simpleType></xs:element>';

const WSDL = wsdlOf(
  'urn:cards',
  `<xs:complexType name="Card"><xs:sequence>${element('id', 'xs:int')}\
${element('name', 'xs:string')}</xs:sequence></xs:complexType>
${OPERATIONS.map((name) => wrapper(name, element('id', 'xs:int') + (name === 'ListCards' ? PRICE : ''))).join('')}
${wrapper('GetPhotoResponse', element('photo', 'xs:base64Binary', 'minOccurs="0"'))}\
${wrapper('GetCardResponse', element('card', 't:Card'))}
${wrapper('ListCardsResponse', element('card', 't:Card', 'minOccurs="0" maxOccurs="unbounded"'))}`,
  OPERATIONS,
);

const PHOTO = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 254]);

type Cards = Awaited<ReturnType<typeof start>>;

async function start(t: Test, operations = '', more = '') {
  const card = (id: number): string => `<card><id>${id}</id><name>Ada</name></card>`;
  const answer = answerOperations('urn:cards', (operation, text) => {
    const id = Number(textIn(text, 'id'));
    if (operation === 'GetCard') return card(id);
    if (operation === 'GetPhoto')
      return id === 0 ? '' : `<photo>${PHOTO.toString('base64')}</photo>`;
    return Array.from({ length: id }, (_, at) => card(at)).join('');
  });
  const home = await useFolder(t, { 'cards.wsdl': WSDL });
  const yaml = (url: string): string =>
    `services:\n  cards: { wsdl: cards.wsdl, url: "${url}/cards", rest: true${operations} }\n` +
    `${more}`;
  return useService(t, answer, yaml, home);
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
const jsonOf = async (answer: Response): Promise<any> => answer.json();

const get = (cards: Cards, path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${cards.gateway.url}/rest/cards/${path}`, { headers });

const CACHED =
  ', operations: { GetCard: { read: { cacheMillis: 60000, scope: ' +
  'shared } }, ListCards: {}, GetPhoto: {} }';

t.test(
  'an answer of a cached operation has a tag, and 304 tells that it is the same',
  async (t) => {
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
  },
);

t.test('what is not cached, and no GET, has no tag', async (t) => {
  const cards = await start(t, CACHED);
  for (const path of ['ListCards?id=2', 'GetCard?id=x']) {
    const answer = await get(cards, path, { 'if-none-match': '*' });
    t.not(answer.status, 304, path);
    t.equal(answer.headers.get('etag'), null, path);
    t.equal(answer.headers.get('cache-control'), 'no-store', path);
  }
  const posted = await postJson(
    `${cards.gateway.url}/rest/cards/GetCard`,
    { id: 7 },
    { 'if-none-match': '*' },
  );
  t.equal(posted.status, 200);
  t.equal(posted.headers.get('etag'), null);
});

t.test(
  'each client is asked for its rights before it gets 304, and a mask makes another tag',
  async (t) => {
    const masked =
      ', schema: { types: { Card: { fields: { name: { mask: { reader: "null" } } } } } }';
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
  },
);

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
  for (const accept of [
    '*/*',
    'application/json',
    'text/html, application/json, application/octet-stream',
  ]) {
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
  const { schema } =
    described.paths['/rest/cards/ListCards'].post.requestBody.content['application/json'];
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
    const answer = await postJson(`${cards.gateway.url}/rest/cards/ListCards`, { id: 1, price });
    await answer.body?.cancel();
    t.equal(answer.status, isTaken ? 200 : 400, price);
    t.equal(digits.test(price), isTaken, `${price} and the pattern`);
  }
});
