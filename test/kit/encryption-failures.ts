import { constants, publicEncrypt, randomBytes } from 'node:crypto';
import type { Identity } from './certificates.js';
import { type EncryptOptions, encryptBody, encryptThenSign } from './encrypted-message.js';
import { envelope } from './envelope.js';
import { signedMessage } from './signed-message.js';

/** Encrypted messages that fail in ways an attacker would like to tell apart. */

export interface FailureKeys {
  readonly own: Identity;
  /** A certificate that is not that of the receiver. */
  readonly other: Identity;
  readonly client: Identity;
}

/** Messages by what is wrong with them, and the keys beside `decrypt.keys` that they need. */
export interface FailureGroup {
  readonly keys: string;
  readonly isSigned: boolean;
  readonly messages: Readonly<Record<string, string>>;
}

/** An operation that the service has. */
const pay = (rows: number): string =>
  `<Pay xmlns="urn:desk"><sum>${'1'.repeat(10)}</sum>${'<sum>10</sum>'.repeat(rows)}</Pay>`;

export const flipped =
  (at: number) =>
  (bytes: Buffer): Buffer => {
    const altered = Buffer.from(bytes);
    const index = at < 0 ? altered.length + at : at;
    altered[index] = (altered[index] ?? 0) ^ 1;
    return altered;
  };

/** Content that a reader would refuse in its own way, were it read. */
const contents = (rows: number): Readonly<Record<string, string>> => ({
  'in order': pay(rows),
  'XML broken at its start': pay(rows).replace('<Pay', '<Pay<'),
  'XML broken at its end': pay(rows).replace('</Pay>', '</Pax>'),
  'beyond a limit': pay(rows).replace('<sum>', `<sum>${'<a>'.repeat(150)}${'</a>'.repeat(150)}`),
  'another operation': pay(rows).replaceAll('Pay', 'Hay'),
});

/** AES-GCM with RSA-OAEP, without a signature. */
export function gcmFailures({ own, other }: FailureKeys, rows: number): FailureGroup {
  const message = (content: string, options: EncryptOptions): string =>
    encryptBody(envelope(content), own, options);
  const messages: Record<string, string> = {};
  for (const [name, content] of Object.entries(contents(rows))) {
    messages[`wrong tag, content ${name}`] = message(content, { alter: flipped(-1) });
  }
  const broken = contents(rows)['XML broken at its end'] ?? '';
  messages['content that is no XML'] = message(broken, {});
  messages['wrong content'] = message(pay(rows), { alter: flipped(20) });
  messages['wrong padding of the key'] = message(pay(rows), { alterKey: flipped(100) });
  const keyInfo =
    /<ds:KeyInfo[^>]*><wsse:SecurityTokenReference[^>]*><ds:X509Data>.*?<\/ds:KeyInfo>/s;
  const [named = ''] = keyInfo.exec(message(pay(rows), {})) ?? [];
  messages['key of another receiver'] = encryptBody(envelope(pay(rows)), other).replace(
    keyInfo,
    named,
  );
  return { keys: '', isSigned: false, messages };
}

/** A key that was encrypted by PKCS #1 1.5, with its block written by `write`. */
const blockOf =
  ({ cert }: Identity, write: (block: Buffer, key: Buffer) => void) =>
  (bytes: Buffer): Buffer => {
    const block = randomBytes(bytes.length).map((byte) => byte || 1);
    const key = randomBytes(32);
    block.set([0, 2]);
    block[block.length - 33] = 0;
    block.set(key, block.length - 32);
    write(Buffer.from(block.buffer), key);
    return publicEncrypt({ key: cert, padding: constants.RSA_NO_PADDING }, block);
  };

const DAY_MILLIS = 86_400_000;

/** Signs the content and the key of a message after they were encrypted. */
const signLast =
  ({ client }: FailureKeys) =>
  (content: string, key: string): string =>
    signedMessage(client, content, {
      parts: [{ uri: '#EK-1', text: key }],
      // Benches send it for longer than messages are usually good.
      expires: Date.now() + DAY_MILLIS,
    }).message;

/** RSA 1.5: blocks as Bleichenbacher's attack sends them. */
export function rsaFailures(keys: FailureKeys, rows: number): FailureGroup {
  const { own } = keys;
  const message = (write: (block: Buffer, key: Buffer) => void): string =>
    encryptThenSign(pay(rows), own, signLast(keys), {
      transport: 'rsa-1_5',
      alterKey: blockOf(own, write),
    });
  return {
    keys: ', keyTransports: ["unsafe:rsa-1_5"]',
    isSigned: true,
    messages: {
      'in order, another key': message(() => {}),
      'first byte': message((block) => block.writeUInt8(1, 0)),
      'second byte': message((block) => block.writeUInt8(1, 1)),
      'no zero behind the padding': message((block) => block.writeUInt8(7, block.length - 33)),
      'zero in the first bytes of the padding': message((block) => block.writeUInt8(0, 4)),
      'zero in the padding': message((block) => block.writeUInt8(0, 100)),
      'shorter key': message((block) => {
        block.writeUInt8(7, block.length - 33);
        block.writeUInt8(0, block.length - 17);
      }),
      'empty key': message((block, key) => {
        block.writeUInt8(7, block.length - 33);
        block.fill(7, block.length - key.length);
        block.writeUInt8(0, block.length - 1);
      }),
    },
  };
}

/** AES-CBC: blocks as an attack on its padding sends them. */
export function cbcFailures(keys: FailureKeys, rows: number): FailureGroup {
  const message = (content: string, alter?: (bytes: Buffer) => Buffer): string =>
    encryptThenSign(content, keys.own, signLast(keys), {
      cipher: 'aes256-cbc',
      ...(alter === undefined ? {} : { alter }),
    });
  const broken = contents(rows)['XML broken at its end'] ?? '';
  const messages: Record<string, string> = {
    'padding or content': message(pay(rows), (bytes) => flipped(bytes.length - 17)(bytes)),
    'last block': message(pay(rows), flipped(-1)),
    'first block': message(pay(rows), flipped(17)),
    'no whole block': message(pay(rows), (bytes) => bytes.subarray(0, -3)),
    'one block less': message(pay(rows), (bytes) => bytes.subarray(0, -16)),
    'content that is no XML': message(broken),
    'content that ends early': message(pay(rows).slice(0, -3)),
  };
  return { keys: ', algorithms: ["unsafe:aes256-cbc"]', isSigned: true, messages };
}
