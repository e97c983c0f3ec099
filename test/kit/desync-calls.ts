/**
 * Calls to a backend that answers out of turn: what it does with each, and the only reply that may
 * reach its caller. Everything follows from the number of a call, so that the two sides agree in
 * processes of their own.
 */

/** When and how often the backend answers a call. */
export const BEHAVIOURS = [
  /** Once, when it has read the whole request. */
  'once',
  /** Once, when it has read the first packet. */
  'early',
  /** When it has read the first packet, and again when it has read the rest. */
  'early and again',
  /** When it has read a quarter, and again when it has read all but the end. */
  'early, and again before the end',
  /** Twice in one packet. */
  'twice in one packet',
  /** Again in the next turn of its event loop. */
  'twice',
  /** Again after 1 to 30 ms. */
  'twice, later',
  /** Once, and once more on another connection, which has answered all its requests. */
  'on another connection',
  /** After the caller was told that there was no answer. */
  'late',
  /** In two halves. */
  'in halves',
] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

/** The gateway gives up before. */
export const LATE_MILLIS = 900;
export const HEADERS_MILLIS = 600;

/** Bytes of requests and replies, and of how many in 10,000. */
const SIZES = [
  [1_000, 8_000],
  [4_000, 1_000],
  [30_000, 300],
  [62_000, 400],
  [200_000, 250],
  [1_000_000, 46],
  [10_000_000, 4],
] as const;

/** Of 1,000 calls: the others are answered once. */
const ODD = 200;
/** Of 1,000 odd ones, for each keeps a connection for `LATE_MILLIS`. */
const LATE = 10;

/** A number from 0 to 2^32 - 1 for each pair. */
function hash(call: number, purpose: number): number {
  let mixed = Math.imul(call + 1, 0x9e3779b1) ^ Math.imul(purpose + 1, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

export function behaviourOf(call: number): Behaviour {
  if (hash(call, 0) % 1_000 >= ODD) return 'once';
  if (hash(call, 1) % 1_000 < LATE) return 'late';
  const others = BEHAVIOURS.filter((behaviour) => behaviour !== 'late');
  return others[hash(call, 2) % others.length] ?? 'once';
}

/** From 1 to 30. */
export const pauseMillisOf = (call: number): number => 1 + (hash(call, 3) % 30);

export const requestBytesOf = (call: number): number => sizeOf(hash(call, 4));

function sizeOf(value: number): number {
  let left = value % 10_000;
  for (const [bytes, share] of SIZES) {
    if (left < share) return bytes;
    left -= share;
  }
  return SIZES[0][0];
}

const URI = 'http://schemas.xmlsoap.org/soap/envelope/';

export const requestOf = (call: number): Buffer => envelope(call, 'Call', requestBytesOf(call));

/** Its content repeats the number of the call from end to end. */
export const replyOf = (call: number): Buffer =>
  envelope(call, 'CallResponse', sizeOf(hash(call, 5)));

/** The call of a request whose beginning was read; null before that is known. */
export function callOf(bytes: Buffer): number | null {
  const [, id] = /<c:id>(\d+)</.exec(bytes.toString('latin1', 0, 2_000)) ?? [];
  return id === undefined ? null : Number(id);
}

function envelope(call: number, element: string, bytes: number): Buffer {
  const head =
    `<s:Envelope xmlns:s="${URI}"><s:Body><c:${element} xmlns:c="urn:calls"><c:id>` +
    `${call}</c:id><c:filler>`;
  const tail = `</c:filler></c:${element}></s:Body></s:Envelope>`;
  const filler = Buffer.alloc(Math.max(0, bytes - head.length - tail.length), `${call} `);
  return Buffer.concat([Buffer.from(head), filler, Buffer.from(tail)]);
}
