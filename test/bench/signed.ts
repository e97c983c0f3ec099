/**
 * The cost of `security.verify`: a signed message of 4 KiB beside the bare verification and digest
 * of `node:crypto`, and long Bodies with and without verification. Processor time, in turns,
 * medians with quartiles.
 */
import { createHash, createPublicKey, verify } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultsOf } from '../../src/core/limit.js';
import type { VerificationRules } from '../../src/wss/header-verification.js';
import { MessageVerifier } from '../../src/wss/message-verifier.js';
import { ELEMENTS_ONLY, SKIP, type XmlHandler } from '../../src/xml/events.js';
import { XML_LIMITS } from '../../src/xml/limits.js';
import { XmlReader } from '../../src/xml/reader.js';
import { Authority, type Identity, RSA_KEY } from '../kit/certificates.js';
import { signedMessage } from '../kit/signed-message.js';
import { rulesTrusting } from '../wss/trusting-rules.js';
import { cpuInTurns, isProgram, isQuick, print, quantile, table } from './kit.js';
import { denseContent } from './messages.js';

const LIMITS = {
  ...defaultsOf(XML_LIMITS),
  messageBytes: 2 ** 31,
  elements: 2 ** 30,
  children: 2 ** 30,
};
const CHUNK = 64 * 1024;

/** Skips the content of Body, as a literal service does. */
const skipping: XmlHandler = {
  open: (tag) => (tag.depth < 3 ? ELEMENTS_ONLY : SKIP),
  close() {},
  text() {},
};

/** A client whose certificate is trusted, and the rules that trust it. */
function trusting(): { readonly client: Identity; readonly rules: VerificationRules } {
  const folder = mkdtempSync(join(tmpdir(), 'soapstone-signed-'));
  const authority = new Authority(folder);
  const client = authority.sign('erp', 30, '/OU=Clients/CN=erp', 'DNS:a', RSA_KEY);
  rmSync(folder, { recursive: true });
  return { client, rules: rulesTrusting(authority.ca.cert, 'rsa-sha256') };
}

const quartiles = (values: readonly number[]): string =>
  `${quantile(values, 0.25).toFixed(1)} to ${quantile(values, 0.75).toFixed(1)}`;

const rows = (bytes: number): string =>
  `<Run xmlns="urn:desk">${`<row><name>${'x'.repeat(40)}</name>\
<sum>12.50</sum></row>`.repeat(Math.ceil(bytes / 85))}` + '</Run>';

/** The bare work of `node:crypto` for a message. */
function bareWork(
  { message, body, timestamp, signature }: ReturnType<typeof signedMessage>,
  client: Identity,
): () => void {
  const key = createPublicKey(client.cert);
  const signedInfo = Buffer.from(/<ds:SignedInfo.*<\/ds:SignedInfo>/.exec(signature)?.[0] ?? '');
  const value = Buffer.from(/<ds:SignatureValue>([^<]*)/.exec(signature)?.[1] ?? '', 'base64');
  const parts = [body, timestamp].map((part) => Buffer.from(part));
  return () => {
    for (const part of parts) createHash('sha256').update(part).digest();
    if (!verify('sha256', signedInfo, key, value))
      throw new Error(`the bare verification fails: ${message.length}`);
  };
}

export async function benchSigned(quick: boolean): Promise<void> {
  const { client, rules } = trusting();
  const reader = new XmlReader(skipping, LIMITS);
  const read = (message: Buffer, isVerified: boolean): void => {
    reader.reset(isVerified ? new MessageVerifier(skipping, rules, Date.now()) : skipping);
    for (let at = 0; at < message.length; at += CHUNK)
      reader.write(message.subarray(at, at + CHUNK));
    reader.end();
    reader.release();
  };
  const small = signedMessage(client, rows(700));
  const message = Buffer.from(small.message);
  const runs = [bareWork(small, client), () => read(message, false), () => read(message, true)];
  const times = cpuInTurns(quick ? 7 : 21, 500, runs);
  const bare = quantile(times[0] ?? [], 0.5);
  print(
    `A signed message of ${message.length} bytes (RSA-2048, Body and Timestamp): processor time\n`,
  );
  const names = ['node:crypto alone', 'read, not verified', 'read and verified'];
  const cells = names.map((name, index) => {
    const own = times[index] ?? [];
    return [
      name,
      quantile(own, 0.5).toFixed(1),
      quartiles(own),
      (quantile(own, 0.5) / bare).toFixed(2),
    ];
  });
  print(table(['', 'µs', 'quartiles', 'to node:crypto'], cells));
  const long = [
    ['elements', rows(8 * 1024 * 1024)],
    ['dense elements, with attributes', denseContent(8 * 1024 * 1024)],
    ['text', `<Run xmlns="urn:desk"><data>${'QUJD'.repeat(2 * 1024 * 1024)}</data></Run>`],
  ] as const;
  const speeds = long.map(([name, content]) => {
    const bytes = Buffer.from(signedMessage(client, content).message);
    const [on = [], off = []] = cpuInTurns(quick ? 3 : 9, 1, [
      () => read(bytes, true),
      () => read(bytes, false),
    ]);
    return [name, ...[on, off].map((own) => (bytes.length / quantile(own, 0.5)).toFixed(0))];
  });
  print('\nA signed Body of 8 MiB, MB/s of processor time\n');
  print(table(['Body', 'verified', 'not verified: skipped'], speeds));
}

if (isProgram(import.meta.url)) await benchSigned(isQuick());
