import type { IncomingMessage } from 'node:http';
import type { SoapService } from '../../compile/soap/service.js';
import { authenticatesConnection, type ReplyHead, type Upstream } from '../../upstream/index.js';
import { challengesOf } from '../reply/challenges.js';
import { isPrintable } from '../reply/reply-head.js';

/**
 * Fields of answers by which a backend authenticates callers itself (RFC 9110 section 11.6.1, RFC
 * 4559).
 */
const CHALLENGE_FIELDS = [
  'www-authenticate',
  'authentication-info',
  'proxy-support',
  'persistent-auth',
] as const;

/**
 * The upstream that the connection of a caller is bound to, from its first request with NTLM or
 * Negotiate on; null for the one that all callers share. Throws `POOL_EXHAUSTED`.
 */
export function boundUpstream(
  { socket, headers }: IncomingMessage,
  { bound }: SoapService,
): Upstream | null {
  if (bound === null) return null;
  const found = bound.find(socket);
  return found === null && authenticatesConnection(headers.authorization)
    ? bound.bind(socket)
    : found;
}

/**
 * Whether a request is a step of a handshake and no message: clients leave the body out until the
 * last one.
 */
export const isHandshake = (
  { method, headers }: IncomingMessage,
  { bound }: SoapService,
): boolean =>
  bound !== null &&
  method === 'POST' &&
  headers['content-length'] === '0' &&
  authenticatesConnection(headers.authorization);

/**
 * Whether a reply is a challenge to the caller: the backend authenticates callers itself, and wants
 * other credentials of this one. Not where its credentials were those for the gateway, which go no
 * further.
 */
export function isChallenge(
  head: ReplyHead,
  service: SoapService,
  request: IncomingMessage,
): boolean {
  if (head.status !== 401) return false;
  if (service.bound !== null) return true;
  const isPassed = service.passesCredentials && !hasWithheldCredentials(request);
  return isPassed && challengesOf(head, service) !== null;
}

const hasWithheldCredentials = ({ headers, rawHeaders }: IncomingMessage): boolean =>
  headers.authorization === undefined &&
  rawHeaders.some((name, at) => at % 2 === 0 && name.toLowerCase() === 'authorization');

/** The fields of an answer that concern the credentials of a caller, names and values in turn. */
export function challengeFields(head: ReplyHead, service: SoapService): readonly string[] {
  if (service.bound !== null) {
    return CHALLENGE_FIELDS.flatMap((name) =>
      head
        .headers(name)
        .filter(isPrintable)
        .flatMap((value) => [name, value]),
    );
  }
  if (head.status !== 401) return NO_FIELDS;
  return (challengesOf(head, service) ?? NO_FIELDS).flatMap((value) => ['www-authenticate', value]);
}

const NO_FIELDS: readonly string[] = [];
