import type { Test } from 'tap';

import { DIALECT_NAMES, DIALECTS, type DialectName } from '../../src/soap/dialect.js';
import { answerWith, type RecordingBackend } from '../kit/backend.js';
import type { TestGateway } from '../kit/gateway.js';
import { chunked, post, RawClient, type RawReply } from '../kit/raw-client.js';
import { cutAt } from '../kit/splits.js';
import { useBackend, useGateway } from '../kit/use.js';
import { fill } from '../perimeter/case-file.js';
import { expectAnswer } from './expect.js';
import type { Rows } from './rows.js';

/** A message of a caller, sent whole, byte by byte and cut at random places. */
export interface MessageVector {
  readonly row: string;
  readonly case: string;
  /** All of them unless given. */
  readonly dialects?: readonly DialectName[];
  /** A template for `fill` (see `test/perimeter/case-file.ts`), or bytes made for a dialect. */
  readonly message: string | ((dialect: DialectName) => Buffer | string);
  /** Replaces or adds header fields; null leaves one away. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /**
   * Of the service asked, with `11`, `12` or `200112` for `{dialect}`; `/soap/s{dialect}` unless
   * given.
   */
  readonly path?: string;
  /** A template of what the backend gets; any message unless given. */
  readonly forwarded?: string;
  /** Not sent byte by byte where false. */
  readonly isBytewise?: boolean;
}

/**
 * A gateway before a backend that records; a service `s11`, `s12` and `s200112` for each dialect.
 */
export interface Perimeter {
  readonly backend: RecordingBackend;
  readonly gateway: TestGateway;
}

/** The reply of the recording backend, in any dialect. */
export const replyOf = (dialect: DialectName): string =>
  fill(
    '<E:Envelope xmlns:E="{env}" xmlns:c="{enc}"><E:Body><m:PingResponse xmlns:m="urn:m"/>' +
      '</E:Body></E:Envelope>',
    dialect,
  );

export const contentTypeOf = (dialect: DialectName): string =>
  `${DIALECTS[dialect].mediaType}; charset=utf-8`;

/**
 * `perService` are further lines of each service, indented by four; `more` is the rest of the
 * configuration. The service `all` speaks every dialect.
 */
export async function startPerimeter(
  t: Test,
  perService = '',
  more = '',
  hasAll = false,
): Promise<Perimeter> {
  const backend = await useBackend(t, (message, response) => {
    const dialect =
      DIALECT_NAMES.find((name) => message.body.includes(DIALECTS[name].envelopeUri)) ?? '1.1';
    answerWith(replyOf(dialect), contentTypeOf(dialect))(message, response);
  });
  const service = (name: string, versions: readonly DialectName[]): string =>
    `  ${name}:\n    url: ${backend.url}/base\n    versions: ${JSON.stringify(versions)}\n` +
    `${perService}`;
  const services = DIALECT_NAMES.map((name) => service(`s${digits(name)}`, [name]));
  const gateway = await useGateway(
    t,
    `services:\n${services.join('')}${hasAll ? service('all', DIALECT_NAMES) : ''}${more}`,
  );
  return { backend, gateway };
}

/**
 * Longer messages are not sent byte by byte: that each byte may be the end of a packet is shown by
 * shorter ones.
 */
const BYTEWISE_BYTES = 2_000;

/** Sends every vector in every way, and asserts its answer and what of it reached the backend. */
export async function runMessages(
  t: Test,
  { backend, gateway }: Perimeter,
  rows: Rows,
  vectors: readonly MessageVector[],
): Promise<void> {
  for (const vector of vectors) {
    const answer = rows.answer(vector.row, vector.case);
    for (const dialect of vector.dialects ?? DIALECT_NAMES) {
      for (const [way, pieces] of waysOf(vector, dialect)) {
        const name = `${vector.row} ${vector.case}, ${dialect}, ${way}`;
        backend.complete.length = 0;
        expectAnswer(t, await sendPieces(gateway.url, pieces), answer, dialect, name);
        t.equal(
          backend.complete.length,
          answer === 'pass' ? 1 : 0,
          `${name}: complete messages at the backend`,
        );
        if (answer === 'pass' && vector.forwarded !== undefined)
          t.equal(
            String(backend.complete[0]?.body),
            fill(vector.forwarded, dialect),
            `${name}: what the backend gets`,
          );
      }
    }
  }
}

function waysOf(
  vector: MessageVector,
  dialect: DialectName,
): readonly (readonly [string, readonly Uint8Array[]])[] {
  const { message, headers = {}, path = '/soap/s{dialect}', isBytewise = true } = vector;
  const body = Buffer.from(typeof message === 'string' ? fill(message, dialect) : message(dialect));
  const target = path.replace('{dialect}', digits(dialect));
  const whole = post(target, contentTypeOf(dialect), body, headers);
  const head = whole.length - body.length;
  const ways: [string, readonly Uint8Array[]][] = [['whole', [whole]]];
  if (isBytewise && whole.length <= BYTEWISE_BYTES)
    ways.push(['byte by byte', Array.from(whole, (byte) => Uint8Array.of(byte))]);
  for (let round = 1; round <= 2; round++) {
    const places = Array.from(
      { length: 4 },
      (_, index) => head + (hash(`${vector.case} ${round} ${index}`) % Math.max(1, body.length)),
    );
    ways.push([`cut at ${places}`, cutAt(whole, places)]);
  }
  if (
    !DIALECTS[dialect].needsContentLength &&
    headers['Content-Length'] === undefined &&
    body.length > 1
  ) {
    const fields = { ...headers, 'Content-Length': null, 'Transfer-Encoding': 'chunked' };
    const middle = 1 + (hash(vector.case) % (body.length - 1));
    const chunks = chunked(body.subarray(0, middle), body.subarray(middle));
    ways.push(['chunked', [post(target, contentTypeOf(dialect), '', fields), chunks]]);
  }
  return ways;
}

/** One connection; a refusal may come before the last piece is sent. */
export async function sendPieces(url: string, pieces: readonly Uint8Array[]): Promise<RawReply> {
  const client = await RawClient.connect(url);
  try {
    const reply = client.reply();
    for (const piece of pieces) await client.send(piece);
    return await reply;
  } finally {
    client.close();
  }
}

export const digits = (dialect: DialectName): string => dialect.replaceAll(/[^0-9]/g, '');

/** The same places in every run: a vector that fails must fail again. */
function hash(text: string): number {
  let value = 7;
  for (let index = 0; index < text.length; index++)
    value = (Math.imul(value, 31) + text.charCodeAt(index)) >>> 0;
  return value >>> 4;
}
