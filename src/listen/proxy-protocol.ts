import { Buffer } from 'node:buffer';
import { isIP, type Socket } from 'node:net';

/** The longest header of version 1, with its line break. */
const LINE_BYTES_MAX = 107;
/**
 * The longest header of version 2: addresses, and extensions such as the names of a certificate.
 */
const HEADER_BYTES_MAX = 4096;
const FIXED_BYTES = 16;

const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const PREFIX = Buffer.from('PROXY ', 'latin1');

/**
 * A whole header: its length, and the address of the client; null where the connection is the
 * proxy's own.
 */
interface ProxyHeader {
  readonly bytes: number;
  readonly address: string | null;
}

/**
 * Reads a header of the PROXY protocol, version 1 or 2, at the beginning of a connection. `more`:
 * it is not complete yet; `invalid`: it is none.
 */
function readProxyHeader(bytes: Buffer): ProxyHeader | 'more' | 'invalid' {
  if (startsLike(bytes, SIGNATURE)) return bytes.length < FIXED_BYTES ? 'more' : readBinary(bytes);
  if (startsLike(bytes, PREFIX)) return readLine(bytes);
  return 'invalid';
}

/** Whether as many bytes as there are begin like the other. */
function startsLike(bytes: Buffer, other: Buffer): boolean {
  const length = Math.min(bytes.length, other.length);
  return bytes.subarray(0, length).equals(other.subarray(0, length));
}

function readLine(bytes: Buffer): ProxyHeader | 'more' | 'invalid' {
  const end = bytes.subarray(0, LINE_BYTES_MAX).indexOf('\r\n');
  if (end < 0) return bytes.length < LINE_BYTES_MAX ? 'more' : 'invalid';
  const line = bytes.subarray(PREFIX.length, end).toString('latin1');
  if (/^UNKNOWN(?: |$)/.test(line)) return { bytes: end + 2, address: null };
  const match = /^TCP([46]) ([0-9A-Fa-f:.]{2,39}) ([0-9A-Fa-f:.]{2,39}) (\d{1,5}) (\d{1,5})$/.exec(
    line,
  );
  if (match === null) return 'invalid';
  const [, family = '', source = '', destination = '', ...ports] = match;
  const isValid = isIP(source) === Number(family) && isIP(destination) === Number(family);
  return isValid && ports.every(isPort) ? { bytes: end + 2, address: source } : 'invalid';
}

const isPort = (text: string): boolean =>
  Number(text) <= 65_535 && (text === '0' || !text.startsWith('0'));

/** Bytes of the addresses of each family: TCP over IPv4, TCP over IPv6, a stream of Unix. */
const ADDRESS_BYTES: ReadonlyMap<number, number> = new Map([
  [0x11, 12],
  [0x21, 36],
  [0x31, 216],
]);

function readBinary(bytes: Buffer): ProxyHeader | 'more' | 'invalid' {
  const command = bytes.readUInt8(12);
  const family = bytes.readUInt8(13);
  const length = FIXED_BYTES + bytes.readUInt16BE(14);
  const isLocal = command === 0x20;
  if ((!isLocal && command !== 0x21) || length > HEADER_BYTES_MAX) return 'invalid';
  // The addresses of an unspecified family are skipped, like those of a connection of the proxy
  // itself.
  const addressBytes = isLocal || family === 0 ? 0 : ADDRESS_BYTES.get(family);
  if (addressBytes === undefined || length < FIXED_BYTES + addressBytes) return 'invalid';
  if (bytes.length < length) return 'more';
  const address = isLocal ? null : sourceOf(bytes.subarray(FIXED_BYTES), family);
  return { bytes: length, address };
}

function sourceOf(bytes: Buffer, family: number): string | null {
  if (family === 0x11) return [...bytes.subarray(0, 4)].join('.');
  if (family !== 0x21) return null;
  return Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(2 * index).toString(16)).join(
    ':',
  );
}

/**
 * Takes the header off a connection before anything else reads it. Resolves to the address in it,
 * or null for that of the connection; rejects where there is no valid header.
 */
export function takeProxyHeader(socket: Socket): Promise<string | null> {
  return new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0);
    const stop = (): void => {
      socket.off('readable', read).off('close', fail).off('end', fail);
    };
    const fail = (): void => {
      stop();
      reject(new Error('no header of the PROXY protocol'));
    };
    const read = (): void => {
      for (let piece = socket.read(); piece !== null; piece = socket.read()) {
        bytes = Buffer.concat([bytes, piece]);
        const header = readProxyHeader(bytes);
        if (header === 'more') continue;
        if (header === 'invalid') {
          fail();
        } else {
          stop();
          const rest = bytes.subarray(header.bytes);
          if (rest.length > 0) {
            socket.unshift(rest);
          }
          resolve(header.address);
        }
        return;
      }
    };
    socket.on('readable', read).on('close', fail).on('end', fail);
    read();
  });
}
