import { createServer, type IncomingMessage } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { defaultsOf, KIB, MIB } from '../../../src/core/limit.js';
import { Refusal } from '../../../src/core/refusals/refusal.js';
import { recordOf } from '../../../src/flow/http/connection-record.js';
import { fairScheduler, type SlicedTask } from '../../../src/flow/http/fair-scheduler.js';
import { type BodyIntake, receive } from '../../../src/flow/http/receive.js';
import { EnvelopeValidator } from '../../../src/soap/envelope.js';
import { Gate } from '../../../src/soap/gate.js';
import type { EnvelopeRules } from '../../../src/soap/header/header.js';
import { XML_LIMITS } from '../../../src/xml/limits.js';
import { XmlReader } from '../../../src/xml/reader.js';
import { answerWith } from '../../kit/backend.js';
import { envelope as envelopeOf } from '../../kit/envelope.js';
import { listen } from '../../kit/listen.js';
import { chunked, post, RawClient, type RawReply, sendRaw } from '../../kit/raw-client.js';
import { useBackend, useGateway } from '../../kit/use.js';
import { ENVELOPE_RULES } from '../../soap/rules.js';

const envelope = (content: string): string =>
  envelopeOf(`<m:Ping xmlns:m="urn:m">${content}</m:Ping>`);
/** Text that compresses to about a third. */
const text = (bytes: number): string =>
  Array.from(
    { length: Math.ceil(bytes / 16) },
    (_, line) => `${(line * 7919) % 1_000_003} of 1000003\n`,
  )
    .join('')
    .slice(0, bytes);

async function startPath(t: Test, perService = '', more = '') {
  const backend = await useBackend(t, answerWith(envelope('')));
  const gateway = await useGateway(
    t,
    `services:\n  s:\n    url: ${backend.url}/\n${perService}${more}`,
  );
  return {
    gateway,
    backend,
    send: (
      body: Uint8Array | string,
      headers: Readonly<Record<string, string>>,
    ): Promise<RawReply> => {
      const isChunked = headers['Transfer-Encoding'] !== undefined;
      const head = isChunked ? { ...headers, 'Content-Length': null } : headers;
      const bytes = Buffer.from(body);
      const middle = bytes.length >> 1;
      const sent = isChunked ? chunked(bytes.subarray(0, middle), bytes.subarray(middle)) : bytes;
      return sendRaw(
        gateway.url,
        Buffer.concat([
          post('/soap/s', 'text/xml', isChunked ? '' : bytes, head),
          isChunked ? sent : Buffer.alloc(0),
        ]),
      );
    },
  };
}

const CHUNKED = { 'Transfer-Encoding': 'chunked' };
const GZIP = { 'Content-Encoding': 'gzip' };

t.test(
  'a backend gets the message as it was validated, with its length where that is known',
  async (t) => {
    const { send, backend } = await startPath(t);
    const [short, long] = [envelope('a'), envelope(text(200 * KIB))];
    const cases: readonly (readonly [
      string,
      Uint8Array | string,
      Record<string, string>,
      string,
      boolean,
    ])[] = [
      ['short', short, {}, short, true],
      ['short and chunked', short, CHUNKED, short, true],
      ['short and compressed', gzipSync(short), GZIP, short, true],
      ['short, compressed and chunked', gzipSync(short), { ...GZIP, ...CHUNKED }, short, true],
      ['long', long, {}, long, true],
      ['long and chunked', long, CHUNKED, long, false],
      ['long and compressed', gzipSync(long), GZIP, long, false],
    ];
    for (const [name, body, headers, expected, hasLength] of cases) {
      backend.complete.length = 0;
      t.equal((await send(body, headers)).status, 200, name);
      const [message] = backend.complete;
      t.equal(message?.body.toString(), expected, `${name}: the bytes`);
      t.equal(
        message?.headers['content-length'],
        hasLength ? String(expected.length) : undefined,
        `${name}: the length`,
      );
      t.equal(
        message?.headers['transfer-encoding'],
        hasLength ? undefined : 'chunked',
        `${name}: one framing`,
      );
      t.equal(message?.headers['content-encoding'], undefined, `${name}: no coding`);
      t.equal(message?.headers['accept-encoding'], 'gzip', `${name}: gzip is asked for`);
    }
  },
);

t.test('for a backend that refuses chunked a message is collected', async (t) => {
  const limits = 'limits:\n  soap:\n    bufferBytes: 256KiB\n';
  const { send, backend } = await startPath(t, '    bufferRequests: true\n', limits);
  const long = envelope(text(200 * KIB));
  for (const [body, headers] of [
    [long, {}],
    [long, CHUNKED],
    [gzipSync(long), GZIP],
    [gzipSync(long), { ...GZIP, ...CHUNKED }],
  ] as const) {
    backend.complete.length = 0;
    t.equal((await send(body, headers)).status, 200, JSON.stringify(headers));
    t.equal(backend.complete[0]?.headers['content-length'], String(long.length));
    t.equal(backend.complete[0]?.body.toString(), long);
  }
  backend.complete.length = 0;
  backend.begun = 0;
  const tooLong = envelope(text(300 * KIB));
  t.equal((await send(tooLong, CHUNKED)).status, 413, 'too long to collect');
  t.equal((await send(gzipSync(tooLong), GZIP)).status, 413, 'too long when decoded');
  const { status, body } = await send(`${envelope(text(200 * KIB))}<late/>`, CHUNKED);
  t.equal(status, 500);
  t.match(body, 'XML_NOT_WELLFORMED', 'a late violation is a proper Fault');
  t.equal(backend.begun, 0, 'and the backend heard of nothing');
  t.equal((await send(tooLong, {})).status, 200, 'what says its length flows');
});

t.test('a late violation in a compressed message aborts it at the backend', async (t) => {
  const { send, backend } = await startPath(t);
  const { body } = await send(gzipSync(`${envelope(text(400 * KIB))}<late/>`), GZIP);
  t.match(body, 'XML_NOT_WELLFORMED');
  t.equal(backend.complete.length, 0);
});

const RULES: EnvelopeRules = {
  ...ENVELOPE_RULES,
  dialects: new Set(['1.1']),
  headerBlocksMax: 64,
  idsMax: 100,
};

/** A server that receives one request and does nothing with it. */
async function startReception(
  t: Test,
  intake: BodyIntake,
  connection: 'ordinary' | 'penalised' = 'ordinary',
) {
  const server = createServer();
  const request = new Promise<IncomingMessage>((resolve) => server.once('request', resolve));
  const received = request.then((incoming) => {
    const validate = new EnvelopeValidator(RULES, null, 'no detail');
    const reader = new XmlReader(validate, { ...defaultsOf(XML_LIMITS), messageBytes: 64 * MIB });
    const options = {
      windowBytes: 64 * KIB,
      headBytes: 256 * KIB,
      bufferBytes: 256 * KIB,
      onViolation: null,
    };
    if (connection === 'penalised') recordOf(incoming.socket).penalise();
    const account = { startedMillis: performance.now(), workMillis: 0 };
    return receive(
      incoming,
      intake,
      account,
      (output) => new Gate(reader, validate, options, output),
    );
  });
  return { url: (await listen(t, server)).url, request, received };
}

const INFLATE = { messageBytes: 64 * MIB, inflateRatio: 100, inflateFreeBytes: MIB };

t.test('while the body is not taken, nothing more of the request is read', async (t) => {
  for (const [name, inflate] of [
    ['as it is', null],
    ['compressed', INFLATE],
  ] as const) {
    const { url, request, received } = await startReception(t, { inflate, bufferBytes: null });
    const message = Buffer.from(envelope(text(12 * MIB)));
    const client = await RawClient.connect(url);
    const sent = client.send(post('/', 'text/xml', inflate === null ? message : gzipSync(message)));
    const incoming = await request;
    const outcome = await received;
    if (outcome.kind !== 'flowing') throw new Error('it does not flow');
    // Until nothing more comes in, however many turns it is given.
    for (let turns = 0, before = -1; turns < 100; turns++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (outcome.body.readableLength !== before) turns = 0;
      before = outcome.body.readableLength;
    }
    t.ok(incoming.isPaused() || inflate !== null, `${name}: reading has stopped`);
    t.ok(
      outcome.body.readableLength <= 512 * KIB,
      `${name}: ${outcome.body.readableLength} bytes wait`,
    );
    let bytes = 0;
    for await (const chunk of outcome.body) bytes += (chunk as Buffer).length;
    await sent;
    t.equal(bytes, message.length, `${name}: all of it comes in the end`);
    client.close();
  }
});

t.test('a caller that leaves ends its message', async (t) => {
  for (const inflate of [null, INFLATE]) {
    const { url, request, received } = await startReception(t, { inflate, bufferBytes: null });
    const message = Buffer.from(envelope(text(100)));
    const client = await RawClient.connect(url);
    const bytes = post('/', 'text/xml', inflate === null ? message : gzipSync(message));
    await client.send(bytes.subarray(0, -20));
    await request;
    client.close();
    await t.rejects(received, new Refusal('CLIENT_GONE'));
  }
});

t.test('a body in tiny chunks is refused, and nothing more of it is taken apart', async (t) => {
  const { gateway, backend } = await startPath(t);
  const head = post('/soap/s', 'text/xml', '', {
    'Content-Length': null,
    'Transfer-Encoding': 'chunked',
  });
  const tiny = (bytes: number): Buffer =>
    chunked(...Array.from(Buffer.from(envelope(text(bytes))), (byte) => Uint8Array.of(byte)));
  const few = await sendRaw(gateway.url, Buffer.concat([head, tiny(3000)]));
  t.equal(few.status, 200, 'some thousand are no attack');
  const many = await sendRaw(gateway.url, Buffer.concat([head, tiny(20_000)]));
  t.equal(many.status, 400);
  t.equal(backend.complete.length, 1);
  t.match(await gateway.accessLine(2), { code: 'HTTP_TINY_CHUNKS', outcome: 'refused' });
});

t.test('a body in tiny chunks that came before its turn is never taken for whole', async (t) => {
  const { gateway, backend } = await startPath(t);
  const head = post('/soap/s', 'text/xml', '', {
    'Content-Length': null,
    'Transfer-Encoding': 'chunked',
  });
  const tiny = Array.from(Buffer.from(envelope(text(4000))), (byte) => Uint8Array.of(byte));
  const client = await RawClient.connect(gateway.url);
  await client.send(
    Buffer.concat([post('/soap/s', 'text/xml', envelope(text(10))), head, chunked(...tiny)]),
  );
  t.match(await gateway.accessLine(2), { code: 'HTTP_TINY_CHUNKS', outcome: 'refused' });
  t.equal(backend.complete.length, 1, 'the first alone');
  client.close();
});

/** Has the next slice of penalised connections wait for so long. */
function delayPenalised(waitMillis: number): void {
  const task: SlicedTask = {
    beganMillis: 0,
    step() {
      const endMillis = performance.now() + waitMillis / 49;
      while (performance.now() < endMillis);
      return 'waits';
    },
  };
  fairScheduler.enqueue(task, { address: '127.0.0.1', isPenalised: true });
}

const LONG = envelope(text(200 * KIB));

t.test('a long message of a penalised connection is read in its time slice', async (t) => {
  delayPenalised(0);
  const { url, received } = await startReception(
    t,
    { inflate: null, bufferBytes: null },
    'penalised',
  );
  const client = await RawClient.connect(url);
  t.teardown(() => client.close());
  await client.send(post('/', 'text/xml', LONG));
  const message = await received;
  if (message.kind !== 'flowing') throw new Error('it is long');
  const pieces: Buffer[] = [];
  for await (const piece of message.body) pieces.push(piece as Buffer);
  t.equal(Buffer.concat(pieces).toString(), LONG);
});

t.test('a penalised client may leave before its time slice', async (t) => {
  delayPenalised(200);
  const { url, request, received } = await startReception(
    t,
    { inflate: null, bufferBytes: null },
    'penalised',
  );
  const client = await RawClient.connect(url);
  await client.send('POST / HTTP/1.1\r\nHost: g\r\nContent-Length: 100000\r\n\r\n<a>');
  const incoming = await request;
  const left = new Promise((resolve) => incoming.once('error', resolve));
  client.socket.resetAndDestroy();
  await left;
  await t.rejects(received, { code: 'CLIENT_GONE' });
});

/**
 * Around the bytes of a short message, of a body that is given without its stream, and of the
 * window.
 */
const EDGES = [
  16 * KIB - 1,
  16 * KIB,
  16 * KIB + 1,
  48 * KIB,
  64 * KIB - 1,
  64 * KIB,
  64 * KIB + 1,
  130 * KIB,
];

/** An envelope of so many bytes, with elements and text; `end` stands before its last tags. */
function sized(bytes: number, end = ''): Buffer {
  const rest = bytes - Buffer.byteLength(envelope(end));
  const elements = '<m:i a="1">x</m:i>'.repeat(Math.floor(rest / 2 / 18));
  return Buffer.from(envelope(elements + 'y'.repeat(rest - elements.length) + end));
}

t.test('messages around each length pass byte for byte, wherever they are split', async (t) => {
  const { gateway, backend } = await startPath(t);
  const client = await RawClient.connect(gateway.url);
  for (const length of EDGES) {
    const message = sized(length);
    t.equal(message.length, length);
    for (const at of [null, 1, 4 * KIB, 16 * KIB, length - 1]) {
      backend.complete.length = 0;
      const bytes = post('/soap/s', 'text/xml', message, { Connection: 'keep-alive' });
      const split = at === null || at >= length ? bytes.length : bytes.length - length + at;
      await client.send(bytes.subarray(0, split));
      if (split < bytes.length) {
        // The first part is read before the second is there.
        await turn();
        await turn();
        await client.send(bytes.subarray(split));
      }
      t.equal((await client.reply()).status, 200, `${length} split at ${at}`);
      t.ok(backend.complete[0]?.body.equals(message), `${length} split at ${at}: the bytes`);
    }
  }
  client.close();
});

t.test(
  'a violation at the end of a message of each length leaves no complete message',
  async (t) => {
    const { send, backend } = await startPath(t);
    for (const length of EDGES) {
      const { status } = await send(sized(length, '<!-- a --><?b?>'), {});
      t.equal(status, 500, `${length}`);
      t.equal(backend.complete.length, 0, `${length}`);
    }
  },
);

t.test(
  'a connection that ends in the midst of a message of each length leaves no complete message',
  async (t) => {
    const { gateway, backend } = await startPath(t);
    for (const [index, length] of EDGES.entries()) {
      const client = await RawClient.connect(gateway.url);
      await client.send(post('/soap/s', 'text/xml', sized(length)).subarray(0, -20));
      client.close();
      t.match(await gateway.accessLine(index + 1), { code: 'HTTP_BAD_REQUEST' }, `${length}`);
    }
    t.equal(backend.complete.length, 0);
  },
);
