import { errorCode } from '../core/index.js';

/** Why a TLS handshake failed: the values of the label `reason`. */
const HANDSHAKE_FAILURES = [
  'certificate_missing',
  'certificate_refused',
  'clear_text',
  'protocol',
  'alert',
  'timeout',
  'ended',
  'other',
] as const;

type HandshakeFailureReason = (typeof HANDSHAKE_FAILURES)[number];

/** A TLS handshake that failed. */
export interface HandshakeFailure {
  readonly reason: HandshakeFailureReason;
  /** The code of OpenSSL or of the system. */
  readonly code: string;
}

/** The codes of Node for errors of OpenSSL that name the cause. */
const REASONS: ReadonlyMap<string, HandshakeFailureReason> = new Map([
  ['ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE', 'certificate_missing'],
  ['ERR_SSL_HTTP_REQUEST', 'clear_text'],
  ['ERR_SSL_HTTPS_PROXY_REQUEST', 'clear_text'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'clear_text'],
  ['ERR_SSL_UNSUPPORTED_PROTOCOL', 'protocol'],
  ['ERR_SSL_VERSION_TOO_LOW', 'protocol'],
  ['ERR_SSL_INAPPROPRIATE_FALLBACK', 'protocol'],
  ['ERR_SSL_NO_SHARED_CIPHER', 'protocol'],
  ['ERR_SSL_NO_SUITABLE_SIGNATURE_ALGORITHM', 'protocol'],
  ['ERR_SSL_NO_SHARED_SIGNATURE_ALGORITHMS', 'protocol'],
  ['ERR_SSL_NO_APPLICATION_PROTOCOL', 'protocol'],
  ['ERR_TLS_HANDSHAKE_TIMEOUT', 'timeout'],
  ['ECONNRESET', 'ended'],
  ['EPIPE', 'ended'],
]);

/** The failure that the error of a handshake stands for; `isLate`: its time was over. */
export function handshakeFailureOf(error: unknown, isLate: boolean): HandshakeFailure {
  const code = errorCode(error) ?? 'unknown error';
  if (isLate) return { reason: 'timeout', code: 'ERR_TLS_HANDSHAKE_TIMEOUT' };
  return { reason: REASONS.get(code) ?? (code.includes('_ALERT_') ? 'alert' : 'other'), code };
}
