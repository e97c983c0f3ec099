import type { Buffer } from 'node:buffer';
import { isRecord, jsonValues, KIB } from '../core/index.js';
import type { ConsoleDescription, TriedMessage } from './answers.js';

/** The most bytes of an answer that are shown. */
const SHOWN_BYTES_MAX = 256 * KIB;
const TRY_MILLIS = 60_000;

/** A message that an operator sends as a caller. */
interface Message {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The header fields that the page may set, besides credentials. */
const FIELDS = ['content-type', 'soapaction'];

/** Null unless it is a message for a service of the gateway. */
export function readMessage(
  body: Buffer | null,
  { services, graphqlPath, credentialFields }: ConsoleDescription,
): Message | null {
  const value = jsonValues.parsedJson(body?.toString() ?? '');
  if (!isRecord(value) || !isRecord(value['headers'])) return null;
  const { path, headers, body: content } = value;
  const paths = new Set([graphqlPath, ...services.map((service) => service.path)]);
  if (typeof path !== 'string' || typeof content !== 'string' || !paths.has(path)) return null;
  const taken = [...FIELDS, ...credentialFields].flatMap((name): [string, string][] => {
    const text = headers[name];
    return typeof text === 'string' && /^[\x20-\x7e]+$/.test(text) ? [[name, text]] : [];
  });
  return { path, headers: Object.fromEntries(taken), body: content };
}

/** Sends a message to the gateway itself, so that all of its rules hold for it. */
export async function sendMessage(
  url: string,
  { path, headers, body }: Message,
): Promise<TriedMessage> {
  const beganMillis = Date.now();
  const answer = await fetch(new URL(path, url), {
    method: 'POST',
    headers,
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(TRY_MILLIS),
  });
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.byteLength;
    text += decoder.decode(chunk.subarray(0, SHOWN_BYTES_MAX), { stream: true });
    if (bytes > SHOWN_BYTES_MAX) break;
  }
  return {
    status: answer.status,
    millis: Date.now() - beganMillis,
    body: text,
    isCut: bytes > SHOWN_BYTES_MAX,
  };
}
