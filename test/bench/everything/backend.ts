import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { envelope, MEDIA, operationIn, SOAP, textIn } from '../../kit/envelope.js';
import { PAGE_ROWS, ROWS, SERVICES } from './configuration.js';
import { SeededRandom } from './random.js';

/**
 * The backend of the run, in a process of its own: a server for each service and one for tokens.
 * It answers each request with its id, counts writes by theirs, and fails by its seed. Sends its
 * addresses when it is ready, and the ledger when it is asked.
 */

/** Kinds of failure; `none` is by far the most frequent. */
const FAULTS = [
  [94, 'none'],
  [1, 'cut'],
  [0.5, 'early'],
  [0.3, 'twice'],
  [1, 'slow'],
  [2, 'gzip'],
  [0.7, 'html'],
  [0.3, 'other'],
] as const;

type Fault = (typeof FAULTS)[number][1];

const SLOW_MILLIS = 1500;
const VERSION_MILLIS = 700;

/** What the backend tells at the end. */
export interface BackendLedger {
  /** How often each write was made, by its id. */
  readonly writes: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, number>>;
  /** Messages without a signature that should have one. */
  readonly unsigned: number;
}

export const contentOf = (id: number): Buffer =>
  Buffer.alloc(20_000 + (id % 50) * 4_000, `content of ${id}. `);

const writes = new Map<number, number>();
const faults = new Map<string, number>();
let unsigned = 0;

function replyTo(operation: string, text: string, request: IncomingMessage): string {
  const id = Number(textIn(text, 'id') ?? 0);
  switch (operation) {
    case 'Read':
      return `<id>${id}</id><value>value of ${id}</value><child>${id + 1}</child>`;
    case 'Write': {
      const times = (writes.get(id) ?? 0) + 1;
      writes.set(id, times);
      return `<id>${id}</id><receipt>R${id}-${times}</receipt>`;
    }
    case 'List':
      return rowsOf(text);
    case 'Content':
      return `<content>${contentOf(id).toString('base64')}</content>`;
    case 'Save':
      return `<id>${id}</id><size>${savedBytes(text)}</size>`;
    case 'Watch':
      return `<id>${id}</id><version>${Math.floor(Date.now() / VERSION_MILLIS)}</version>`;
    default: {
      const user = String(request.headers.authorization).replace('Bearer for-', '');
      return `<id>${id}</id><user>${user}</user>`;
    }
  }
}

function rowsOf(text: string): string {
  const [page, ask] = [Number(textIn(text, 'page')), Number(textIn(text, 'ask'))];
  const first = (page - 1) * PAGE_ROWS;
  const rows = Array.from(
    { length: Math.max(0, Math.min(PAGE_ROWS, ROWS - first)) },
    (_, at) => `<row><id>${first + at}</id><ask>${ask}</ask></row>`,
  );
  return `${rows.join('')}<pages>${Math.ceil(ROWS / PAGE_ROWS)}</pages>`;
}

/** The length of the content, which is a part of a package. */
function savedBytes(text: string): number {
  const [boundary = ''] = /^--\S+/.exec(text) ?? [];
  const part = text.lastIndexOf('\r\n\r\n', text.lastIndexOf(`${boundary}--`));
  return boundary === ''
    ? Buffer.from(textIn(text, 'content') ?? '', 'base64').length
    : text.lastIndexOf(`\r\n${boundary}--`) - part - 4;
}

function serve(service: string, random: SeededRandom) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const fault: Fault = random.pick(FAULTS);
    if (fault !== 'none') faults.set(fault, (faults.get(fault) ?? 0) + 1);
    request.on('error', () => {});
    response.on('error', () => {});
    if (fault === 'early') {
      response.writeHead(503, { 'content-type': 'text/plain' }).end('busy');
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('latin1');
      const operation = operationIn(text);
      if (service === 'signed' && !text.includes('SignatureValue>')) unsigned++;
      const version = text.includes(SOAP['1.2']) ? '1.2' : '1.1';
      const content = replyTo(operation, text, request);
      const wrapped = (name: string, inner: string): Buffer =>
        Buffer.from(
          envelope(`<${name} xmlns="urn:${service}">${inner}</${name}>`, '', SOAP[version]),
        );
      const other = fault === 'other' && operation !== 'Watch';
      const body = other
        ? wrapped('WatchResponse', '<id>0</id><version>0</version>')
        : wrapped(`${operation}Response`, content);
      answer(request, response, fault, MEDIA[version], body);
    });
  };
}

function answer(
  { socket }: IncomingMessage,
  response: ServerResponse,
  fault: Fault,
  mediaType: string,
  body: Buffer,
): void {
  const head = { 'content-type': mediaType, 'content-length': String(body.length) };
  switch (fault) {
    case 'cut':
      response.writeHead(200, head).write(body.subarray(0, body.length >> 1));
      setTimeout(() => socket.destroy(), 5);
      break;
    case 'slow':
      setTimeout(() => response.writeHead(200, head).end(body), SLOW_MILLIS);
      break;
    case 'gzip': {
      const packed = gzipSync(body);
      const fields = { ...head, 'content-encoding': 'gzip', 'content-length': packed.length };
      response.writeHead(200, fields).end(packed);
      break;
    }
    case 'html':
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<html><body>Maintenance</body></html>');
      break;
    case 'twice':
      socket.write(
        Buffer.concat(
          [1, 2].flatMap(() => [
            Buffer.from(
              `HTTP/1.1 200 OK\r\ncontent-type: ${mediaType}\r\n` +
                `content-length: ${body.length}\r\n\r\n`,
            ),
            body,
          ]),
        ),
      );
      break;
    default:
      response.writeHead(200, head).end(body);
  }
}

/** Exchanges the token of a user for one that names the user: its second part, not verified. */
function exchange(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    const [, claims = ''] = (form.get('subject_token') ?? '').split('.');
    const { sub = '' }: { sub?: string } = JSON.parse(
      Buffer.from(claims, 'base64url').toString() || '{}',
    );
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ access_token: `for-${sub}`, token_type: 'Bearer', expires_in: 60 }));
  });
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const [, , folder = '', seed = '1'] = process.argv;
  const identity = {
    cert: readFileSync(`${folder}/backend.pem`),
    key: readFileSync(`${folder}/backend-key.pem`),
  };
  const handlers = [
    ...SERVICES.map((name, at) => serve(name, new SeededRandom(Number(seed) + at))),
    exchange,
  ];
  const ports = await Promise.all(
    handlers.map(
      (handler) =>
        new Promise<number>((resolve) => {
          const server = createServer(identity, handler);
          server.requestTimeout = 0;
          server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
        }),
    ),
  );
  process.send?.(ports);
  process.on('message', () => {
    const ledger: BackendLedger = {
      writes: Object.fromEntries(writes),
      faults: Object.fromEntries(faults),
      unsigned,
    };
    process.send?.(ledger);
  });
  process.on('disconnect', () => process.exit());
}
