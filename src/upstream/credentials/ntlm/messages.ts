import { Buffer } from 'node:buffer';
import { createHash, createHmac } from 'node:crypto';
import { Refusal } from '../../../core/index.js';
import { md4 } from './md4.js';

/**
 * The messages of NTLM, version 2 ([MS-NLMP]). Nothing is signed or sealed: HTTP has TLS for that.
 */

const SIGNATURE = Buffer.from('NTLMSSP\0', 'latin1');

/** Section 2.2.2.5. */
const FLAGS = {
  unicode: 0x00000001,
  oem: 0x00000002,
  requestTarget: 0x00000004,
  ntlm: 0x00000200,
  alwaysSign: 0x00008000,
  extendedSessionSecurity: 0x00080000,
  targetInfo: 0x00800000,
  key128: 0x20000000,
  key56: 0x80000000,
} as const;

const OFFERED =
  (FLAGS.unicode |
    FLAGS.oem |
    FLAGS.requestTarget |
    FLAGS.ntlm |
    FLAGS.alwaysSign |
    FLAGS.extendedSessionSecurity |
    FLAGS.key128 |
    FLAGS.key56) >>>
  0;

/**
 * With Version, all zeros without its flag (section 2.2.1.1): gss-ntlmssp refuses a message without
 * it.
 */
const NEGOTIATE_BYTES = 40;
const CHALLENGE_BYTES_MIN = 32;
const CHALLENGE_INFO_END = 48;
/** The fixed part of AUTHENTICATE_MESSAGE with Version and MIC. */
const AUTHENTICATE_BYTES = 88;
const MIC_AT = 72;

/** NEGOTIATE_MESSAGE (section 2.2.1.1), without names: the server learns them at the end. */
export function negotiateMessage(): Buffer {
  const message = Buffer.alloc(NEGOTIATE_BYTES);
  SIGNATURE.copy(message);
  message.writeUInt32LE(1, 8);
  message.writeUInt32LE(OFFERED, 12);
  for (const at of [16, 24]) {
    message.writeUInt32LE(NEGOTIATE_BYTES, at + 4);
  }
  return message;
}

/** The challenge of the server. */
export interface NtlmChallenge {
  readonly message: Buffer;
  readonly flags: number;
  readonly serverChallenge: Buffer;
  /** AV pairs of section 2.2.2.1. */
  readonly pairs: readonly AvPair[];
}

interface AvPair {
  readonly id: number;
  readonly value: Buffer;
}

/** Ids of AV pairs. */
const AV = { end: 0, flags: 6, timestamp: 7, targetName: 9, channelBindings: 10 } as const;

/** Reads a CHALLENGE_MESSAGE (section 2.2.1.2). Throws `UPSTREAM_AUTH`. */
export function readChallengeMessage(message: Buffer): NtlmChallenge {
  const isChallenge =
    message.length >= CHALLENGE_BYTES_MIN &&
    message.subarray(0, SIGNATURE.length).equals(SIGNATURE) &&
    message.readUInt32LE(8) === 2;
  if (!isChallenge) throw invalid();
  const flags = message.readUInt32LE(20);
  const hasInfo = (flags & FLAGS.targetInfo) !== 0 && message.length >= CHALLENGE_INFO_END;
  const pairs = hasInfo ? readPairs(payloadOf(message, 40)) : [];
  return { message, flags, serverChallenge: message.subarray(24, 32), pairs };
}

/** The bytes that a length and an offset in the fixed part refer to. */
function payloadOf(message: Buffer, at: number): Buffer {
  const start = message.readUInt32LE(at + 4);
  const end = start + message.readUInt16LE(at);
  if (end > message.length) throw invalid();
  return message.subarray(start, end);
}

function readPairs(bytes: Buffer): readonly AvPair[] {
  const pairs: AvPair[] = [];
  for (let at = 0; at + 4 <= bytes.length; ) {
    const id = bytes.readUInt16LE(at);
    if (id === AV.end) return pairs;
    const start = at + 4;
    at = start + bytes.readUInt16LE(at + 2);
    if (at > bytes.length) throw invalid();
    pairs.push({ id, value: bytes.subarray(start, at) });
  }
  return pairs;
}

const invalid = (): Refusal => new Refusal('UPSTREAM_AUTH', 'not a challenge of NTLM');

function printPairs(pairs: readonly AvPair[]): Buffer {
  const end = { id: AV.end, value: Buffer.alloc(0) };
  return Buffer.concat(
    [...pairs, end].map(({ id, value }) => {
      const pair = Buffer.alloc(4 + value.length);
      pair.writeUInt16LE(id, 0);
      pair.writeUInt16LE(value.length, 2);
      value.copy(pair, 4);
      return pair;
    }),
  );
}

export interface NtlmAccount {
  readonly user: string;
  /** '' for a user principal name, and for a user of the server itself. */
  readonly domain: string;
  readonly password: string;
}

/** Values that differ from handshake to handshake. */
export interface Freshness {
  /** 8 random bytes. */
  readonly clientChallenge: Buffer;
  /** In 100 nanoseconds since 1601; used where the server sends no time of its own. */
  readonly time: Buffer;
}

/** The server that a handshake authenticates to. */
export interface NtlmTarget {
  /** The service principal name, `HTTP/host`. */
  readonly name: string;
  /** MD5 of the channel bindings of the TLS connection; null without TLS. */
  readonly channelBindings: Buffer | null;
}

/**
 * AUTHENTICATE_MESSAGE (section 2.2.1.3) for a challenge. `negotiate`: the message that the
 * challenge answers.
 */
export function authenticateMessage(
  account: NtlmAccount,
  negotiate: Buffer,
  challenge: NtlmChallenge,
  target: NtlmTarget,
  freshness: Freshness,
): Buffer {
  const { serverTime, pairs } = clientPairs(challenge.pairs, target);
  const key = ntowfv2(account);
  const parts = {
    ...freshness,
    time: serverTime ?? freshness.time,
    serverChallenge: challenge.serverChallenge,
  };
  const { response, sessionKey } = ntResponse(key, parts, printPairs(pairs));
  // Section 3.1.5.1.2: a server that sends its time gets no LM response, but a check sum of all
  // messages.
  const lm = serverTime === null ? lmResponse(key, parts) : Buffer.alloc(24);
  const text = encoder(challenge.flags);
  const payloads = [
    lm,
    response,
    text(account.domain),
    text(account.user),
    text(''),
    Buffer.alloc(0),
  ];
  const message = Buffer.concat([Buffer.alloc(AUTHENTICATE_BYTES), ...payloads]);
  SIGNATURE.copy(message);
  message.writeUInt32LE(3, 8);
  let offset = AUTHENTICATE_BYTES;
  for (const [index, { length }] of payloads.entries()) {
    const at = 12 + index * 8;
    message.writeUInt16LE(length, at);
    message.writeUInt16LE(length, at + 2);
    message.writeUInt32LE(offset, at + 4);
    offset += length;
  }
  message.writeUInt32LE(agreedFlags(challenge.flags), 60);
  if (serverTime !== null) {
    hmacMd5(sessionKey, negotiate, challenge.message, message).copy(message, MIC_AT);
  }
  return message;
}

/** The flags that both sides have, with the charset, Unicode or OEM, that the server chooses. */
function agreedFlags(server: number): number {
  const charset = (server & FLAGS.unicode) !== 0 ? FLAGS.oem : FLAGS.unicode;
  return ((OFFERED & (server | FLAGS.ntlm) & ~charset) | (server & FLAGS.targetInfo)) >>> 0;
}

function encoder(server: number): (text: string) => Buffer {
  return (text) => Buffer.from(text, (server & FLAGS.unicode) !== 0 ? 'utf16le' : 'latin1');
}

const HAS_MIC = 0x2;

/** The AV pairs of the server, with those of the client. */
function clientPairs(
  server: readonly AvPair[],
  { name, channelBindings }: NtlmTarget,
): { readonly serverTime: Buffer | null; readonly pairs: readonly AvPair[] } {
  const serverTime =
    server.find(({ id, value }) => id === AV.timestamp && value.length === 8)?.value ?? null;
  if (server.length === 0) return { serverTime, pairs: [] };
  const own: number[] = [AV.flags, AV.targetName, AV.channelBindings];
  const pairs = server.filter(({ id }) => !own.includes(id));
  const flags = Buffer.alloc(4);
  const known = server.find(({ id, value }) => id === AV.flags && value.length === 4);
  flags.writeUInt32LE(
    ((known?.value.readUInt32LE(0) ?? 0) | (serverTime === null ? 0 : HAS_MIC)) >>> 0,
  );
  if (known !== undefined || serverTime !== null) {
    pairs.push({ id: AV.flags, value: flags });
  }
  pairs.push({ id: AV.channelBindings, value: channelBindings ?? Buffer.alloc(16) });
  pairs.push({ id: AV.targetName, value: Buffer.from(name, 'utf16le') });
  return { serverTime, pairs };
}

interface ResponseParts extends Freshness {
  readonly serverChallenge: Buffer;
}

/** NTOWFv2 (section 3.3.2): the key of a user. */
export const ntowfv2 = ({ user, domain, password }: NtlmAccount): Buffer =>
  hmacMd5(md4(Buffer.from(password, 'utf16le')), Buffer.from(upperCase(user) + domain, 'utf16le'));

/** The response to the challenge (section 3.3.2), and the key of the session. */
export function ntResponse(
  key: Buffer,
  { clientChallenge, time, serverChallenge }: ResponseParts,
  info: Buffer,
): { readonly response: Buffer; readonly sessionKey: Buffer } {
  const versions = Buffer.from([1, 1, 0, 0, 0, 0, 0, 0]);
  const temp = Buffer.concat([
    versions,
    time,
    clientChallenge,
    Buffer.alloc(4),
    info,
    Buffer.alloc(4),
  ]);
  const proof = hmacMd5(key, serverChallenge, temp);
  return { response: Buffer.concat([proof, temp]), sessionKey: hmacMd5(key, proof) };
}

/** LMv2, of servers that send no time. */
export const lmResponse = (
  key: Buffer,
  { serverChallenge, clientChallenge }: ResponseParts,
): Buffer => Buffer.concat([hmacMd5(key, serverChallenge, clientChallenge), clientChallenge]);

function hmacMd5(key: Buffer, ...parts: readonly Buffer[]): Buffer {
  const hmac = createHmac('md5', key);
  for (const part of parts) {
    hmac.update(part);
  }
  return hmac.digest();
}

/** As Windows does it: one character stays one. */
const upperCase = (text: string): string =>
  Array.from(text, (character) => {
    const upper = character.toUpperCase();
    return upper.length === character.length ? upper : character;
  }).join('');

/**
 * The hash of channel bindings of the type `tls-server-end-point` (RFC 5929), as section 3.1.5.1.2
 * sends it.
 */
export function channelBindingsHash(certificateHash: Buffer): Buffer {
  const data = Buffer.concat([Buffer.from('tls-server-end-point:', 'latin1'), certificateHash]);
  // gss_channel_bindings_struct (RFC 2744 section 3.11) with no addresses.
  const bindings = Buffer.alloc(20);
  bindings.writeUInt32LE(data.length, 16);
  return createHash('md5').update(bindings).update(data).digest();
}
