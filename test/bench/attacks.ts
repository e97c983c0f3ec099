import { gzipSync } from 'node:zlib';

import { dearKinds } from './refusals.js';
import { PATH } from './soapstone.js';

/**
 * What one connection of an attacker does: sends these bytes, and then waits for the other side or
 * gives up.
 */
export interface Attack {
  readonly name: string;
  readonly bytes: Buffer;
  /** Connections at once. */
  readonly connections: number;
  /**
   * How the bytes go out: as fast as they are taken, one byte in this many milliseconds, or not at
   * all.
   */
  readonly pace: 'fast' | number | 'none';
  /**
   * Connections that are opened in a second, each for a full TLS handshake, instead of
   * `connections`.
   */
  readonly handshakesPerSecond?: number;
}

const MIB = 2 ** 20;
const OPENING =
  '<E:Envelope xmlns:E="http://schemas.xmlsoap.org/soap/envelope/"><E:Body>' +
  '<o:GetOrders xmlns:o="urn:example:orders">';

const head = (fields: readonly string[]): string =>
  `POST ${PATH} HTTP/1.1\r\nHost: gateway\r\nContent-Type: text/xml\r\nSOAPAction: ""\r\n` +
  `${fields.map((field) => `${field}\r\n`).join('')}\r\n`;

/** A message that says how long it is. */
function message(body: string | Buffer, ...fields: string[]): Buffer {
  const bytes = Buffer.from(body);
  return Buffer.concat([Buffer.from(head([`Content-Length: ${bytes.length}`, ...fields])), bytes]);
}

const many = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, n) => make(n)).join('');

const LAUGHS = `<!DOCTYPE l [<!ENTITY a "ha">${many(
  20,
  (n) => `<!ENTITY b${n} \
"${`&b${n - 1};`.repeat(10)}">`,
)}]>`;

const CHUNKED = ['Transfer-Encoding: chunked'];

/**
 * Of the catalogue's groups X and H, those that cost a reader or a server most: by what each wants
 * to use up.
 */
const FAST: readonly (readonly [name: string, bytes: Buffer])[] = [
  ['billion laughs', message(`${LAUGHS}<l>&b19;</l>`)],
  ['deep nesting', message(OPENING + '<n>'.repeat(MIB / 3))],
  [
    'nesting to the limit, over and over',
    message(OPENING + `${'<n>'.repeat(80)}${'</n>'.repeat(80)}`.repeat(MIB / 560)),
  ],
  ['many attributes', message(`${OPENING}<n ${many(100_000, (n) => `a${n}="" `)}/>`)],
  [
    'attributes to the limit, over and over',
    message(OPENING + `<n ${many(60, (n) => `a${n}="" `)}/>`.repeat(2000)),
  ],
  ['names that are all different', message(OPENING + many(60_000, (n) => `<n${n}xxxxxxx/>`))],
  [
    'namespaces that are all different',
    message(OPENING + many(30_000, (n) => `<p:n xmlns:p="urn:${n}"/>`)),
  ],
  ['a comment without end', message(`${OPENING}<!--${'x'.repeat(8 * MIB)}`)],
  ['a quote without end', message(`${OPENING}<n a="${'x'.repeat(8 * MIB)}`)],
  ['elements without end', message(OPENING + '<n/>'.repeat(2 * MIB))],
  ['references without end', message(OPENING + `<n>${'&#x41;'.repeat(1000)}</n>`.repeat(500))],
  [
    'UTF-8 that breaks late',
    message(
      Buffer.concat([
        Buffer.from(`${OPENING}${`<n>${'é'.repeat(500)}</n>`.repeat(4000)}`),
        Buffer.of(0xff),
      ]),
    ),
  ],
  [
    'a bomb of gzip',
    message(gzipSync(`${OPENING}${' '.repeat(64 * MIB)}`), 'Content-Encoding: gzip'),
  ],
  ['two lengths of one body', Buffer.from(`${head(['Content-Length: 5', ...CHUNKED])}0\r\n\r\n`)],
  ['chunks that are none', Buffer.from(`${head(CHUNKED)}zz\r\nxx\r\n`)],
  ['chunks of one byte', Buffer.from(head(CHUNKED) + many(100_000, () => '1\r\nx\r\n'))],
  ['a header of 64 KiB', Buffer.from(head([`X: ${'x'.repeat(64 * 1024)}`]))],
  ['ten thousand fields', Buffer.from(head(Array.from({ length: 10_000 }, (_, n) => `x${n}: 1`)))],
];

/** Those that want connections and not work. */
const SLOW: readonly Attack[] = [
  { name: 'slow headers', bytes: Buffer.from(head(['X: y'])), connections: 500, pace: 100 },
  {
    name: 'slow bodies',
    bytes: message(OPENING + 'x'.repeat(10_000)),
    connections: 500,
    pace: 100,
  },
  { name: 'a flood of connections', bytes: Buffer.alloc(0), connections: 64, pace: 'none' },
];

/** Documents that are made to cost as much as they can before they are refused. */
const DOCUMENTS: readonly (readonly [name: string, bytes: Buffer])[] = dearKinds()
  .filter(({ on }) => on === undefined)
  .map(({ name, body }) => {
    const fields = `Content-Type: application/json\r\nContent-Length: ${body.length}`;
    return [
      name,
      Buffer.concat([
        Buffer.from(`POST /graphql HTTP/1.1\r\nHost: gateway\r\n${fields}\r\n\r\n`),
        body,
      ]),
    ];
  });

/** Of one address, to the listener with TLS. */
const HANDSHAKES: Attack = {
  name: 'TLS handshakes',
  bytes: Buffer.alloc(0),
  connections: 0,
  pace: 'none',
  handshakesPerSecond: 1000,
};

const ATTACKS: readonly Attack[] = [
  ...[...FAST, ...DOCUMENTS].map(
    ([name, bytes]): Attack => ({ name, bytes, connections: 16, pace: 'fast' }),
  ),
  ...SLOW,
];

/** Names of attacks more: many of the others, on one connection each. */
const TOGETHER: ReadonlyMap<string, readonly Attack[]> = new Map([
  [
    'all documents at once',
    ATTACKS.filter(({ name }) => DOCUMENTS.some(([document]) => document === name)),
  ],
  ['all of them at once', ATTACKS],
]);

/** The names of all attacks. */
export const NAMES: readonly string[] = [
  ...ATTACKS.map(({ name }) => name),
  HANDSHAKES.name,
  ...TOGETHER.keys(),
];

/** Those that make up the attack of a name. */
export const attacksOf = (name: string): readonly Attack[] =>
  TOGETHER.get(name)?.map((attack) => ({ ...attack, connections: 1 })) ??
  [...ATTACKS, HANDSHAKES].filter((attack) => attack.name === name);
