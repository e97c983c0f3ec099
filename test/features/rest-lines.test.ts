import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import {
  type ClientRequest,
  get as httpGet,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import t, { type Test } from 'tap';
import { HELD_CHARS_MAX } from '../../src/flow/rest/item-lines.js';
import type { RecordingBackend } from '../kit/backend.js';
import { envelope, textIn } from '../kit/envelope.js';
import { until, untilStill } from '../kit/until.js';
import { useFolder, useService } from '../kit/use.js';
import { element, wrapper, wsdlOf } from '../kit/wsdl.js';

/** Lists over REST as lines of JSON, which stream. */

const CARD =
  element('id', 'xs:int') +
  element('score', 'xs:int', 'minOccurs="0"') +
  element('name', 'xs:string');
const WSDL = wsdlOf(
  'urn:cards',
  `<xs:complexType name="Card"><xs:sequence>${CARD}</xs:sequence></xs:complexType>\
${wrapper('ListCards', element('id', 'xs:int'))}
${wrapper('ListCardsResponse', element('card', 't:Card', 'minOccurs="0" maxOccurs="unbounded"'))}`,
  ['ListCards'],
);

const [BEGIN = '', END = ''] = envelope(
  '<ListCardsResponse xmlns="urn:cards">|</ListCardsResponse>',
).split('|');

/** Limits that no list here reaches. */
const WITHOUT_LIMITS =
  'limits: { xml: { children: 10000000, elements: 10000000, messageBytes: 268435456 } }\n';

type Cards = Awaited<ReturnType<typeof start>>;

/**
 * `write` writes what is between the tags of the answer, and returns false where it ends the answer
 * itself.
 */
async function start(t: Test, write: Write, operation = '{}', more = '') {
  const answer: RecordingBackend['answer'] = ({ body }, response) => {
    response.writeHead(200, { 'content-type': 'text/xml; charset=utf-8' });
    response.write(BEGIN);
    void write(response, Number(textIn(body, 'id'))).then(
      (isWhole) => isWhole && response.end(END),
    );
  };
  const service = `wsdl: cards.wsdl, rest: true, operations: { ListCards: ${operation} }`;
  const yaml = (url: string): string =>
    `services:\n  cards: { ${service}, url: "${url}/cards" }\n${more}`;
  return useService(t, answer, yaml, await useFolder(t, { 'cards.wsdl': WSDL }));
}

type Write = (response: ServerResponse, count: number) => Promise<boolean>;

const card = (id: number, score = '1'): string =>
  `<card><id>${id}</id><score>${score}</score><name>Ada "A" of Ghent</name></card>`;

/** Waits until more can be written, or nothing ever will. */
const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      response.off('drain', end).off('close', end);
      resolve();
    };
    if (response.closed) resolve();
    else response.on('drain', end).on('close', end);
  });

const writeCards: Write = async (response, count) => {
  for (let from = 0; from < count; from += 500) {
    const part = Array.from({ length: Math.min(500, count - from) }, (_, at) =>
      card(from + at),
    ).join('');
    if (!response.write(part)) await drained(response);
    if (response.closed) return false;
  }
  return true;
};

const ask = (
  cards: Cards,
  query: string,
  method = 'GET',
  body: string | null = null,
): Promise<Response> =>
  fetch(`${cards.gateway.url}/rest/cards/ListCards${query}`, {
    method,
    headers: {
      accept: 'application/x-ndjson',
      ...(body === null ? {} : { 'content-type': 'application/json' }),
    },
    body,
  });

/** Asks for lines, as a client that reads them by and by. */
async function open(
  cards: Cards,
  query: string,
): Promise<{ message: IncomingMessage; request: ClientRequest }> {
  const headers = { accept: 'application/x-ndjson' };
  const request = httpGet(`${cards.gateway.url}/rest/cards/ListCards${query}`, { headers });
  const [message]: IncomingMessage[] = await once(request, 'response');
  if (message === undefined) throw new Error('no answer');
  return { message, request };
}

/** Reads an answer as far as it comes. */
async function readAll(cards: Cards, query: string) {
  const { message } = await open(cards, query);
  let text = '';
  message.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  await new Promise<void>((resolve) => message.once('close', resolve).once('error', () => {}));
  return { message, lines: text.trimEnd().split('\n'), isWhole: message.complete };
}

const MANY = 30_000;

t.test('a list as one line for each item', async (t) => {
  const cards = await start(t, writeCards);
  for (const answer of [await ask(cards, '?id=3'), await ask(cards, '', 'POST', '{"id":3}')]) {
    t.equal(answer.status, 200);
    t.equal(answer.headers.get('content-type'), 'application/x-ndjson');
    t.ok(answer.headers.get('content-length'), 'short ones are sent whole');
    const lines = (await answer.text()).split('\n');
    t.equal(lines.pop(), '');
    t.same(
      lines.map((line) => JSON.parse(line)),
      [0, 1, 2].map((id) => ({ id, score: 1, name: 'Ada "A" of Ghent' })),
    );
  }
  t.equal(await (await ask(cards, '?id=0')).text(), '');
  t.equal(await (await ask(cards, '?id=1&fields=id')).text(), '{"id":0}\n');
  t.equal((await ask(cards, '?id=x')).headers.get('content-type'), 'application/problem+json');
  const json = await fetch(`${cards.gateway.url}/rest/cards/ListCards?id=2`);
  t.equal(json.headers.get('content-type'), 'application/json; charset=utf-8');
});

t.test('a long list streams, with more items than an answer in one piece may have', async (t) => {
  const cards = await start(t, writeCards);
  const { message, lines, isWhole } = await readAll(cards, `?id=${MANY}`);
  t.equal(message.statusCode, 200);
  t.equal(message.headers['content-length'], undefined);
  t.equal(message.headers['cache-control'], 'no-store');
  t.ok(message.headers['x-request-id']);
  t.ok(isWhole);
  t.equal(lines.length, MANY);
  t.same(JSON.parse(lines.at(-1) ?? ''), { id: MANY - 1, score: 1, name: 'Ada "A" of Ghent' });
  t.same(message.trailers, {});
  t.match(await cards.gateway.accessLine(1), { status: 200, outcome: 'ok', route: 'rest' });
  const whole = await fetch(`${cards.gateway.url}/rest/cards/ListCards?id=${MANY}`);
  t.equal(whole.status, 502, 'as one piece it has too many items');
});

t.test('an answer in the cache of its operation streams as well', async (t) => {
  const cards = await start(t, writeCards, '{ read: { cacheMillis: 60000 } }');
  const tag = (await ask(cards, '?id=3')).headers.get('etag');
  t.match(tag, /^W\//);
  for (let times = 0; times < 2; times++) {
    const { lines, isWhole } = await readAll(cards, '?id=2000');
    t.equal(lines.length, 2000);
    t.ok(isWhole);
  }
  t.equal(cards.backend.begun, 2);
  t.equal((await readAll(cards, `?id=${MANY}`)).lines.length, MANY, 'longer than the cache keeps');
});

t.test('a long answer from the cache waits once for its reader', async (t) => {
  const warnings: string[] = [];
  const onWarning = ({ message }: Error): unknown => warnings.push(message);
  process.on('warning', onWarning);
  t.teardown(() => process.off('warning', onWarning));
  const limits = 'limits: { cache: { replyBytes: 4MiB, bytes: 64MiB } }\n';
  const cards = await start(t, writeCards, '{ read: { cacheMillis: 60000 } }', limits);
  for (let times = 0; times < 3; times++)
    t.equal((await readAll(cards, `?id=${MANY}`)).lines.length, MANY);
  t.equal(cards.backend.begun, 1);
  t.same(warnings, []);
});

t.test(
  'values that are null for an error are listed in a trailer field, or the ' +
    'header of a short answer',
  async (t) => {
    const cards = await start(t, async (response, count) => {
      response.write(card(0, 'many'));
      return writeCards(response, count);
    });
    const short = await readAll(cards, '?id=1');
    t.match(short.message.headers['soapstone-errors'], /;pointer="\/0\/score"$/);
    const long = await readAll(cards, '?id=5000');
    t.ok(long.isWhole);
    t.equal(long.lines.length, 5001);
    t.same(JSON.parse(long.lines[0] ?? ''), { id: 0, score: null, name: 'Ada "A" of Ghent' });
    t.equal(long.message.headers['trailer'], 'soapstone-errors');
    t.match(long.message.trailers['soapstone-errors'], /^[A-Z_]+;pointer="\/0\/score"$/);
  },
);

t.test('more errors than are listed end no list', async (t) => {
  const cards = await start(t, async (response, count) => {
    for (let id = 0; id < 20; id++) response.write(card(id, 'many'));
    return writeCards(response, count);
  });
  const short = await readAll(cards, '?id=10');
  t.equal(short.message.statusCode, 200);
  t.equal(short.lines.length, 30);
  const listed = String(short.message.headers['soapstone-errors']).split(', ');
  t.equal(listed.length, 11);
  t.match(listed[9], /;pointer="\/9\/score"$/);
  t.equal(listed[10], 'TOO_MANY_ERRORS', 'there are others');
  const long = await readAll(cards, '?id=3000');
  t.ok(long.isWhole);
  t.equal(long.lines.length, 3020);
  t.match(long.message.trailers['soapstone-errors'], /, TOO_MANY_ERRORS$/);
});

t.test('a list that breaks off fails, however many errors come before', async (t) => {
  const cards = await start(t, async (response, count) => {
    for (let id = 0; id < 20; id++) response.write(card(id, 'many'));
    await writeCards(response, count);
    response.end('</wrong>');
    return false;
  });
  t.equal((await ask(cards, '?id=10')).status, 502);
  t.notOk((await readAll(cards, '?id=5000')).isWhole);
});

t.test('a failure before the answer begins has its own status', async (t) => {
  const cards = await start(t, async (response) => {
    response.write(card(0));
    response.end('</wrong>');
    return false;
  });
  const answer = await ask(cards, '?id=1');
  t.equal(answer.status, 502);
  t.match(await answer.json(), { status: 502, code: String });
});

t.test('a failure after it is the last line, and the body does not end', async (t) => {
  for (const [what, end] of Object.entries({
    'a reply that breaks off': (response: ServerResponse) => response.destroy(),
    'a reply that is no XML': (response: ServerResponse) => response.end('</wrong>'),
    'an item without what it must have': (response: ServerResponse) =>
      response.end(`<card><id>1</id></card>${END}`),
  })) {
    const cards = await start(t, async (response, count) => {
      await writeCards(response, count);
      await until(() => !response.writableNeedDrain && response.writableLength === 0);
      end(response);
      return false;
    });
    const { message, lines, isWhole } = await readAll(cards, '?id=5000');
    t.equal(message.statusCode, 200, what);
    t.notOk(isWhole, what);
    t.equal(lines.length, 5001, what);
    t.match(JSON.parse(lines.at(-1) ?? ''), {
      type: /^urn:soapstone:problem:/,
      status: 502,
      code: String,
      requestId: String,
    });
    t.match(await cards.gateway.accessLine(1), { outcome: 'failed' }, what);
  }
});

t.test('the backend waits for a caller that does not read', async (t) => {
  let written = 0;
  let isDone = false;
  const cards = await start(
    t,
    async (response) => {
      const part = Array.from({ length: 500 }, (_, at) => card(at)).join('');
      while (!response.closed && !isDone) {
        written += part.length;
        if (!response.write(part)) await drained(response);
      }
      return !response.closed;
    },
    '{}',
    WITHOUT_LIMITS,
  );
  const { message } = await open(cards, '?id=1');
  await untilStill(() => written);
  t.ok(written < 64 * 1024 * 1024, `${written}`);
  isDone = true;
  let bytes = 0;
  for await (const part of message) bytes += Buffer.byteLength(part);
  t.ok(message.complete);
  t.ok(bytes > HELD_CHARS_MAX);
});

t.test('a caller that reads slowly gets all of it, in whatever script', async (t) => {
  const count = 1000;
  const part = Buffer.from(card(1).replace('Ada', '字'.repeat(6000)));
  const write = async (response: ServerResponse): Promise<boolean> => {
    for (let at = 0; at < count; at++) if (!response.write(part)) await drained(response);
    return true;
  };
  const cards = await start(t, write, '{}', WITHOUT_LIMITS);
  const { message } = await open(cards, '?id=1');
  await untilStill(() => message.socket.bytesRead);
  let lines = 0;
  for await (const text of message.setEncoding('utf8'))
    lines += String(text).split('\n').length - 1;
  t.ok(message.complete);
  t.equal(lines, count);
});

t.test('a caller that leaves ends the call', async (t) => {
  let isClosed = false;
  const write: Write = (response) => {
    response.once('close', () => {
      isClosed = true;
    });
    return writeCards(response, 10_000_000);
  };
  const cards = await start(t, write, '{}', WITHOUT_LIMITS);
  const { request } = await open(cards, '?id=1');
  request.destroy();
  await until(() => isClosed);
  t.match(await cards.gateway.accessLine(1), { outcome: 'aborted', code: 'CLIENT_GONE' });
});
