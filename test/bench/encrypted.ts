/**
 * The cost of encryption. Without arguments: a message of 4 KiB, decrypted and encrypted, beside
 * the bare work of `node:crypto`, and long Bodies. `memory`: memory while a message of 1 GiB,
 * signed and encrypted, streams through the gateway. `throughput`: one of 256 MiB beside the same
 * that is signed alone, and the bare work of `node:crypto`.
 */
import {
  constants,
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
  X509Certificate,
} from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultsOf } from '../../src/core/limit.js';
import { AT_ONCE } from '../../src/core/time-slices.js';
import type { DecryptionRules } from '../../src/wss/encryption/encrypted-content.js';
import type { EncryptionRules } from '../../src/wss/encryption/encrypted-head.js';
import { MessageDecryption } from '../../src/wss/encryption/message-decryption.js';
import { encryptMessage } from '../../src/wss/encryption/message-encryption.js';
import { keyForRecipient } from '../../src/wss/encryption/message-key.js';
import { parseCertificate } from '../../src/wss/x509/certificate-trust.js';
import { XML_LIMITS } from '../../src/xml/limits.js';
import { ReaderPool } from '../../src/xml/reader-pool.js';
import { Authority, type Identity, RSA_KEY } from '../kit/certificates.js';
import { encryptBody } from '../kit/encrypted-message.js';
import { envelope } from '../kit/envelope.js';
import { startProcess } from '../kit/gateway-process.js';
import { signedMessage } from '../kit/signed-message.js';
import {
  cpuInTurns,
  cpuMicrosOf,
  isProgram,
  isQuick,
  mib,
  print,
  quantile,
  residentBytes,
  table,
  withEndings,
} from './kit.js';

const READERS = new ReaderPool({
  ...defaultsOf(XML_LIMITS),
  messageBytes: 2 ** 31,
  elements: 2 ** 30,
  children: 2 ** 30,
});
const CHUNK = 64 * 1024;
const WARM_UP = 3_000;
/** Calls of a chunk each before memory is measured. */
const WARM_UP_CALLS = 300;

const rows = (bytes: number): string =>
  `<Run xmlns="urn:desk">${`<row><name>${'x'.repeat(40)}</name>\
<sum>12.50</sum></row>`.repeat(Math.ceil(bytes / 85))}</Run>`;

/** Keys of a receiver, in a folder that is gone at the end. */
async function keysOf(t: { teardown(end: () => unknown): void }) {
  const folder = await mkdtemp(join(tmpdir(), 'soapstone-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const authority = new Authority(folder);
  const own = authority.sign('own', 30, '/CN=own', 'DNS:a', RSA_KEY);
  const client = authority.sign('erp', 30, '/OU=Clients/CN=erp', 'DNS:a', RSA_KEY);
  await writeFile(join(folder, 'own.pem'), own.cert);
  await writeFile(join(folder, 'own.key'), own.key);
  await writeFile(join(folder, 'ca.pem'), authority.ca.cert);
  return { folder, own, client };
}

/** Decrypts and encrypts with the classes of the gateway, and with `node:crypto` alone. */
function workOf(own: Identity) {
  const certificate = parseCertificate(new X509Certificate(own.cert));
  if (certificate === null) throw new Error('no certificate');
  const key = createPrivateKey(own.key);
  const decryption: DecryptionRules = {
    owner: 'security.verify.decrypt',
    keys: () => [{ certificate, key }],
    ciphers: new Set(['aes256-gcm']),
    transports: new Set(['rsa-oaep']),
    isBodyRequired: true,
    role: null,
    passesUnopened: false,
    verifiesSignature: false,
  };
  const encryption: EncryptionRules = {
    cipher: 'aes256-gcm',
    parts: ['Body'],
    role: null,
    mustUnderstand: true,
    isSignedLater: false,
  };
  const recipient = {
    certificate: () => certificate,
    transport: 'rsa-oaep-mgf1p',
    reference: 'issuerSerial',
  } as const;
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  return {
    decrypt(message: Buffer): void {
      const output = { write() {}, end() {} };
      const given = { readers: READERS, charset: null, verifier: null, output };
      const run = new MessageDecryption({
        rules: decryption,
        headBytes: CHUNK,
        windowBytes: CHUNK,
        ...given,
      });
      for (let at = 0; at < message.length; at += CHUNK)
        run.write(message.subarray(at, at + CHUNK));
      run.end();
    },
    encrypt: (message: Buffer): Buffer =>
      AT_ONCE.finish(
        encryptMessage(message, encryption, keyForRecipient(recipient, 'aes256-gcm'), READERS),
      ),
    bareEncrypt(content: Buffer): readonly string[] {
      const contentKey = randomBytes(32);
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', contentKey, iv);
      const letters = [cipher.update(content), cipher.final(), cipher.getAuthTag()];
      const wrapped = publicEncrypt({ key: certificate.publicKey, padding }, contentKey);
      return [wrapped.toString('base64'), Buffer.concat([iv, ...letters]).toString('base64')];
    },
    bareDecrypt([wrapped = '', letters = '']: readonly string[]): void {
      const contentKey = privateDecrypt({ key, padding }, Buffer.from(wrapped, 'base64'));
      const bytes = Buffer.from(letters, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', contentKey, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(-16));
      decipher.update(bytes.subarray(12, -16));
      decipher.final();
    },
  };
}

async function benchCost(quick: boolean): Promise<void> {
  await withEndings(async (t) => {
    const { own } = await keysOf(t);
    const work = workOf(own);
    const content = rows(3_900);
    const [plain, encrypted] = [envelope(content), encryptBody(envelope(content), own)].map(
      (text) => Buffer.from(text),
    );
    if (plain === undefined || encrypted === undefined) return;
    const bare = work.bareEncrypt(Buffer.from(content));
    const names = ['decrypted', 'encrypted'];
    // As in a gateway that has been up for a while.
    for (let warm = 0; warm < WARM_UP; warm++) {
      work.bareEncrypt(Buffer.from(content));
      work.encrypt(plain);
    }
    const times = cpuInTurns(quick ? 7 : 21, 200, [
      () => work.bareDecrypt(bare),
      () => work.decrypt(encrypted),
      () => work.bareEncrypt(Buffer.from(content)),
      () => work.encrypt(plain),
    ]).map((each) => quantile(each, 0.5));
    print(`A message of ${plain.length} bytes (RSA-2048, AES-256-GCM): processor time\n`);
    const cells = names.map((name, at) => {
      const [alone = 1, whole = 0] = times.slice(2 * at);
      return [name, alone.toFixed(1), whole.toFixed(1), (whole / alone).toFixed(2)];
    });
    print(table(['', 'µs of node:crypto', 'µs', 'ratio, at most 2.5'], cells));
    const long = rows(8 * 1024 * 1024);
    const longPlain = Buffer.from(envelope(long));
    const longEncrypted = Buffer.from(encryptBody(envelope(long), own));
    const speeds = cpuInTurns(quick ? 3 : 9, 1, [
      () => work.decrypt(longEncrypted),
      () => work.encrypt(longPlain),
    ]).map((each) => (longPlain.length / quantile(each, 0.5)).toFixed(0));
    print('\nA Body of 8 MiB, MB/s of processor time\n');
    print(table(names, [speeds]));
  });
}

/** A gateway that decrypts in front of a backend that counts what is complete. */
async function startDecrypting(t: Parameters<typeof startProcess>[0], folder: string, more = '') {
  const counted = { complete: 0 };
  const backend = createServer((request, response) => {
    request.resume().on('end', () => {
      counted.complete++;
      response.writeHead(200, { 'content-type': 'text/xml' }).end(envelope('<ok/>'));
    });
    request.on('error', () => response.destroy());
  });
  backend.listen(0, '127.0.0.1');
  await once(backend, 'listening');
  t.teardown(() => backend.close());
  const url = `http://127.0.0.1:${(backend.address() as AddressInfo).port}/`;
  const keys = `keys: [{ key: { file: ${folder}/own.key }, cert: { file: ${folder}/own.pem } }]`;
  const gateway = await startProcess(
    t,
    `services:
  desk: { url: "${url}", timeoutMillis: 10m, security: { verify: { decrypt: { ${keys} }${more} } } }
log: { level: error }
limits: { xml: { messageBytes: 2147483647, elements: 100000000, children: 100000000, \
textBytes: 67108864 } }`,
  );
  return { gateway, counted };
}

const ROW = `<row><name>${'x'.repeat(40)}</name><sum>12.50</sum></row>`;

const PIECE = ROW.repeat(Math.ceil(CHUNK / ROW.length));

/** A gateway that decrypts and verifies, and messages for it that are never there whole. */
async function startSigned(t: Parameters<typeof startProcess>[0]) {
  const { folder, own, client } = await keysOf(t);
  const signature =
    `, signature: { authorities: { file: ${folder}/ca.pem }, subjects: ["OU=Clients"], ` +
    'required: [Body] }';
  const messageOf = (pieces: number): string => {
    const whole = signedMessage(client, '<Run xmlns="urn:desk">@</Run>');
    const digest = createHash('sha256');
    const [before = '', behind = ''] = whole.body.split('@');
    digest.update(before);
    for (let at = 0; at < pieces; at++) digest.update(PIECE);
    digest.update(behind);
    const bodyDigest = digest.digest('base64');
    return signedMessage(client, '<Run xmlns="urn:desk">@</Run>', { bodyDigest }).message;
  };
  return { ...(await startDecrypting(t, folder, signature)), own, messageOf };
}

/** Sends a message that is signed, then encrypted, without ever having it whole. */
async function benchMemory(bytes: number): Promise<void> {
  await withEndings(async (t) => {
    const { gateway, counted, own, messageOf } = await startSigned(t);
    const pieces = Math.ceil(bytes / PIECE.length);
    const message = messageOf(pieces);
    // As a gateway that has been up for a while: its code is compiled, and its heap has grown.
    for (let calls = 0; calls < WARM_UP_CALLS; calls++) {
      await sendEncrypted(gateway.url, own, messageOf(1), 1);
    }
    const idle = residentBytes(gateway.child.pid ?? 0);
    const isComplete = (): boolean => counted.complete === WARM_UP_CALLS + 1;
    const start = performance.now();
    await sendEncrypted(gateway.url, own, message, pieces);
    const seconds = (performance.now() - start) / 1000;
    const peak =
      Number(
        /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.child.pid}/status`, 'utf8'))?.[1],
      ) * 1024;
    print(
      `${mib(bytes)} MiB signed and encrypted: complete ${isComplete()}, memory ` +
        `${mib(idle)} to ${mib(peak)} MiB (${mib(peak - idle)} more, at most 48), ` +
        `${(bytes / 1e6 / seconds).toFixed(0)} MB/s\n`,
    );
    if (!isComplete()) process.exitCode = 1;
  });
}

/** Processor time of the gateway for a message that is encrypted, and for one that is not. */
async function benchThroughput(bytes: number, rounds: number): Promise<void> {
  await withEndings(async (t) => {
    const { gateway, counted, own, messageOf } = await startSigned(t);
    const pieces = Math.ceil(bytes / PIECE.length);
    const message = messageOf(pieces);
    const { pid = 0 } = gateway.child;
    const times: readonly number[][] = [[], [], []];
    for (let round = 0; round <= rounds; round++) {
      const starts = [cpuMicrosOf(pid)];
      await sendPlain(gateway.url, message, pieces);
      starts.push(cpuMicrosOf(pid));
      await sendEncrypted(gateway.url, own, message, pieces);
      starts.push(cpuMicrosOf(pid));
      const [plain = 0, encrypted = 0] = starts
        .slice(1)
        .map((end, at) => (end - (starts[at] ?? 0)) / 1e6);
      // The first round compiles the code.
      if (round === 0) continue;
      for (const [at, seconds] of [bareSeconds(pieces), plain, encrypted].entries()) {
        times[at]?.push(seconds);
      }
    }
    const [bare = 0, plain = 0, encrypted = 0] = times.map((each) => quantile(each, 0.5));
    const share = (bare + plain) / encrypted;
    print(
      `${mib(bytes)} MiB, processor seconds: node:crypto alone ${bare.toFixed(2)}, signed ` +
        `${plain.toFixed(2)}, signed and encrypted ${encrypted.toFixed(2)}: ${share.toFixed(2)} ` +
        'of the throughput of both, at least 0.5\n',
    );
    if (counted.complete !== 2 * (rounds + 1)) process.exitCode = 1;
  });
}

/** Base64 and AES-256-GCM of as many bytes, in chunks. */
function bareSeconds(pieces: number): number {
  const [key, iv] = [randomBytes(32), randomBytes(12)];
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  // A multiple of three bytes, so that all chunks of base64 are alike.
  const bytes = PIECE.length - (PIECE.length % 3);
  const letters = cipher.update(PIECE.slice(0, bytes)).toString('base64');
  const decipher = createDecipheriv('aes-256-gcm', key, iv);
  const start = process.cpuUsage();
  for (let at = 0; at < (pieces * PIECE.length) / bytes; at++) {
    decipher.update(Buffer.from(letters, 'base64'));
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

async function sendPlain(url: string, message: string, pieces: number): Promise<void> {
  const [head = '', tail = ''] = message.split('@');
  const { request, over, write } = openCall(url);
  await write(head);
  for (let at = 0; at < pieces; at++) await write(PIECE);
  request.end(tail);
  await over;
}

/** A call whose body is written piece by piece; `over` when it has its answer, or has none. */
function openCall(url: string) {
  const request = httpRequest(`${url}/soap/desk`, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'text/xml' },
  });
  const over = new Promise<void>((resolve) => {
    request
      .on('response', (answer) => answer.resume().on('close', resolve))
      .on('error', () => resolve());
  });
  const write = async (text: string): Promise<void> => {
    if (!request.write(text, 'latin1')) await Promise.race([once(request, 'drain'), over]);
  };
  return { request, over, write };
}

async function sendEncrypted(
  url: string,
  own: Identity,
  message: string,
  pieces: number,
): Promise<void> {
  let key = Buffer.alloc(0);
  const onKey = (made: Buffer): void => {
    key = Buffer.from(made);
  };
  const made = encryptBody(message, own, { onKey });
  const letters =
    /<xenc:CipherValue>([^<]*)<\/xenc:CipherValue><\/xenc:CipherData><\/xenc:EncryptedData>/;
  const [head = '', tail = ''] = made.split(letters.exec(made)?.[1] ?? '');
  const [start = '', end = ''] =
    /<s:Body[^>]*>(.*)<\/s:Body>/s.exec(message)?.[1]?.split('@') ?? [];
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const { request, over, write } = openCall(url);
  let rest = iv;
  const writeLetters = async (content: Buffer): Promise<void> => {
    const known = Buffer.concat([rest, content]);
    const count = known.length - (known.length % 3);
    rest = known.subarray(count);
    await write(known.subarray(0, count).toString('base64'));
  };
  await write(head);
  await writeLetters(cipher.update(start));
  for (let at = 0; at < pieces; at++) await writeLetters(cipher.update(PIECE));
  await writeLetters(cipher.update(end));
  const last = Buffer.concat([rest, cipher.final(), cipher.getAuthTag()]);
  request.end(last.toString('base64') + tail);
  await over;
}

export async function benchEncrypted(quick: boolean): Promise<void> {
  if (process.argv.includes('memory')) return benchMemory(quick ? 2 ** 26 : 2 ** 30);
  if (process.argv.includes('throughput')) {
    return benchThroughput(quick ? 2 ** 24 : 2 ** 28, quick ? 3 : 5);
  }
  return benchCost(quick);
}

if (isProgram(import.meta.url)) await benchEncrypted(isQuick());
