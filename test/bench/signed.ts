/**
 * The cost of `security.verify`: a signed message of 4 KiB beside the bare verification and digest of `node:crypto`, and long
 * Bodies with and without verification. Processor time, in turns, medians with quartiles.
 */
import { createHash, createPublicKey, verify, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultsOf } from '../../src/base/limit.js';
import { CertificateTrust, parseCertificate } from '../../src/base/x509/certificate-trust.js';
import type { VerificationRules } from '../../src/soap/security/header-verification.js';
import { MessageVerifier } from '../../src/soap/security/message-verifier.js';
import { SignerCertificates } from '../../src/soap/security/signer-certificates.js';
import { ELEMENTS_ONLY, SKIP, type XmlHandler } from '../../src/xml/events.js';
import { XML_LIMITS } from '../../src/xml/limits.js';
import { XmlReader } from '../../src/xml/reader.js';
import { Authority, RSA_KEY } from '../kit/certificates.js';
import { signedMessage } from '../kit/signed-message.js';

const LIMITS = { ...defaultsOf(XML_LIMITS), messageBytes: 2 ** 31, elements: 2 ** 30, children: 2 ** 30 };
const CHUNK = 64 * 1024;

/** Skips the content of Body, as a literal service does. */
const skipping: XmlHandler = { open: (tag) => (tag.depth < 3 ? ELEMENTS_ONLY : SKIP), close() {}, text() {} };

const folder = mkdtempSync(join(tmpdir(), 'soapstone-signed-'));
const authority = new Authority(folder);
const client = authority.sign('erp', 30, '/OU=Clients/CN=erp', 'DNS:a', RSA_KEY);
const trusted = parseCertificate(new X509Certificate(authority.ca.cert));
rmSync(folder, { recursive: true });
if (trusted === null) throw new Error('no certificate');

const signature = {
  algorithms: {
    signatures: new Set(['rsa-sha256']),
    digests: new Set(['sha256']),
    canonicalizations: new Set(['exclusive'] as const),
  },
  certificates: new SignerCertificates({
    trust: new CertificateTrust({ authorities: [trusted], intermediates: [], revocations: null }),
    known: [],
    references: new Set(['token'] as const),
    takesKnownKeys: false,
    subjects: null,
  }),
  required: ['Body', 'Timestamp'] as const,
};
const rules: VerificationRules = {
  signature: () => signature,
  timestamp: { isRequired: true, toleranceMillis: 300_000, maxAgeMillis: null },
  usernameToken: null,
  saml: null,
  role: null,
  once: false,
  encrypted: 'refuse',
};

const reader = new XmlReader(skipping, LIMITS);
function read(message: Buffer, isVerified: boolean): void {
  reader.reset(isVerified ? new MessageVerifier(skipping, rules, Date.now()) : skipping);
  for (let at = 0; at < message.length; at += CHUNK) reader.write(message.subarray(at, at + CHUNK));
  reader.end();
  reader.release();
}

function median(values: readonly number[]): { readonly median: number; readonly quartiles: string } {
  const sorted = [...values].sort((one, other) => one - other);
  const at = (part: number): number => sorted[Math.floor(part * (sorted.length - 1))] ?? 0;
  return { median: at(0.5), quartiles: `${at(0.25).toFixed(1)} to ${at(0.75).toFixed(1)}` };
}

/** Microseconds of processor time of one call, in turns. */
function compare(
  rounds: number,
  calls: number,
  ...runs: readonly (() => void)[]
): readonly ReturnType<typeof median>[] {
  const times = runs.map((): number[] => []);
  for (let round = 0; round < rounds + 2; round++) {
    for (const [index, run] of runs.entries()) {
      const before = process.cpuUsage();
      for (let call = 0; call < calls; call++) run();
      const { user, system } = process.cpuUsage(before);
      if (round >= 2) times[index]?.push((user + system) / calls);
    }
  }
  return times.map(median);
}

const text = 'x'.repeat(40);
const elements = (bytes: number): string =>
  `<Run xmlns="urn:desk">${`<row><name>${text}</name><sum>12.50</sum></row>`.repeat(Math.ceil(bytes / 85))}</Run>`;

const small = signedMessage(client, elements(700));
const message = Buffer.from(small.message);
const key = createPublicKey(client.cert);
const signedInfo = Buffer.from(/<ds:SignedInfo.*<\/ds:SignedInfo>/.exec(small.signature)?.[0] ?? '');
const value = Buffer.from(/<ds:SignatureValue>([^<]*)/.exec(small.signature)?.[1] ?? '', 'base64');
const parts = [small.body, small.timestamp].map((part) => Buffer.from(part));
const bare = (): void => {
  for (const part of parts) createHash('sha256').update(part).digest();
  if (!verify('sha256', signedInfo, key, value)) throw new Error('bare');
};
const [crypto, verified, unverified] = compare(
  15,
  500,
  bare,
  () => read(message, true),
  () => read(message, false),
);
if (crypto === undefined || verified === undefined || unverified === undefined) throw new Error('no figures');
console.log(`A signed message of ${message.length} bytes (RSA-2048, Body and Timestamp), microseconds`);
console.log(`  node:crypto alone   ${crypto.median.toFixed(1)} (${crypto.quartiles})`);
console.log(`  read, not verified  ${unverified.median.toFixed(1)} (${unverified.quartiles})`);
console.log(
  `  read and verified   ${verified.median.toFixed(1)} (${verified.quartiles}), ${(verified.median / crypto.median).toFixed(2)} times node:crypto`,
);

for (const [name, content] of [
  ['elements', elements(8 * 1024 * 1024)],
  ['text', `<Run xmlns="urn:desk"><data>${'QUJD'.repeat(2 * 1024 * 1024)}</data></Run>`],
] as const) {
  const long = Buffer.from(signedMessage(client, content).message);
  const [on, off] = compare(
    5,
    1,
    () => read(long, true),
    () => read(long, false),
  );
  if (on === undefined || off === undefined) throw new Error('no figures');
  const speed = (micros: number): string => `${(long.length / micros).toFixed(0)} MB/s`;
  console.log(`8 MiB of ${name}: verified ${speed(on.median)}, not verified ${speed(off.median)} (skipped)`);
}
