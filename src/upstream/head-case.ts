import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';

/**
 * Writes the names of the header fields by which undici frames a request in their usual spelling:
 * it has no option for that, and some backends compare names letter by letter.
 *
 * undici writes a head as one string of Latin-1. No other string that it writes begins with a
 * method: it frames chunks by strings of digits and line ends, and content is bytes. In a head it
 * has put `host` and `connection` into the second and third line, and `content-length` or
 * `transfer-encoding` into the last one; it takes these two out of the fields that it is handed. So
 * no value of a caller can be taken for one of these names.
 */
export function writeUsualNames(socket: Socket): void {
  const write = socket.write.bind(socket);
  socket.write = (chunk: Uint8Array | string, ...rest: unknown[]): boolean => {
    const isHead = typeof chunk === 'string' && rest[0] === 'latin1' && beginsWithMethod(chunk);
    return Reflect.apply(write, socket, [isHead ? spelledHead(chunk) : chunk, ...rest]);
  };
}

/** `GET` and `POST` are the methods of exchanges. */
const beginsWithMethod = (text: string): boolean =>
  text.startsWith('POST ') || text.startsWith('GET ');

const HOST = 'host: ';
const CONNECTION = 'connection: ';
const LENGTH = 'content-length: ';
const CODING = 'transfer-encoding: ';
const LINE_FEED = 10;

/**
 * A head as undici writes it, with these names spelled. One of another form stays as it is. In
 * bytes, whose letters are changed in place: a string would be put together anew, and Node would
 * make bytes of it all the same.
 */
export function spelledHead(head: string): Buffer {
  const bytes = Buffer.from(head, 'latin1');
  const host = bytes.indexOf(LINE_FEED) + 1;
  const connection = bytes.indexOf(LINE_FEED, host) + 1;
  if (!isAt(bytes, host, HOST) || !isAt(bytes, connection, CONNECTION)) return bytes;
  capitalise(bytes, host);
  capitalise(bytes, connection);
  // A head with a transfer coding ends with its line: the first chunk begins with the empty one.
  const isEnded = bytes.at(-3) === LINE_FEED;
  let last = bytes.length - (isEnded ? 4 : 2);
  while (last > connection && bytes[last - 1] !== LINE_FEED) {
    last--;
  }
  const name = isEnded ? LENGTH : CODING;
  if (last > connection && isAt(bytes, last, name)) {
    capitalise(bytes, last);
    capitalise(bytes, last + name.indexOf('-') + 1);
  }
  return bytes;
}

/** Whether a name is at a position. */
function isAt(bytes: Buffer, at: number, name: string): boolean {
  for (let index = 0; index < name.length; index++) {
    if (bytes[at + index] !== name.charCodeAt(index)) return false;
  }
  return true;
}

/** Makes a capital of a letter of US-ASCII. */
function capitalise(bytes: Buffer, at: number): void {
  bytes[at] = (bytes[at] ?? 0) & ~0x20;
}
