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
const LINE_END = '\r\n';

/** A head as undici writes it, with these names spelled. One of another form stays as it is. */
export function spelledHead(head: string): string {
  const host = head.indexOf(LINE_END) + LINE_END.length;
  const connection = head.indexOf(LINE_END, host) + LINE_END.length;
  if (!head.startsWith(HOST, host) || !head.startsWith(CONNECTION, connection)) return head;
  const begin = `${head.slice(0, host)}H${head.slice(host + 1, connection)}C`;
  // A head with a transfer coding ends with its line: the first chunk begins with the empty one.
  const isEnded = head.endsWith('\r\n\r\n');
  const lastEnd = head.length - (isEnded ? 2 : 1) * LINE_END.length;
  const last = head.lastIndexOf(LINE_END, lastEnd - 1) + LINE_END.length;
  const name = head.startsWith(isEnded ? LENGTH : CODING, last)
    ? isEnded
      ? 'Content-Length'
      : 'Transfer-Encoding'
    : '';
  return last <= connection || name === ''
    ? begin + head.slice(connection + 1)
    : begin + head.slice(connection + 1, last) + name + head.slice(last + name.length);
}
