import { jsonValues, Refusal, type RefusalCode, type refusals } from '../core/index.js';
import type { UpstreamLimits } from './limits.js';

/** The limits that undici keeps. */
type KeptLimit = 'connectMillis' | 'headersMillis' | 'idleMillis' | 'headerBytes';

/** Their keys in the configuration. */
export type TimeoutKeys = Readonly<Record<KeptLimit, string>>;

export const TIMEOUT_KEYS: TimeoutKeys = {
  connectMillis: 'limits.upstream.connectMillis',
  headersMillis: 'limits.upstream.headersMillis',
  idleMillis: 'limits.upstream.idleMillis',
  headerBytes: 'limits.upstream.headerBytes',
};

/** The limits of one upstream, for refusals that name them. */
export interface TimeoutLimits {
  readonly limits: UpstreamLimits;
  readonly keys: TimeoutKeys;
}

/**
 * The refusal for an error of the connection. Decided by code and name; texts go nowhere but into
 * `cause`. `hasHead`: the status line of the reply had come, so the reply is cut rather than
 * missing. `timeouts`: those that apply, null where none do.
 */
export function refusalOfError(
  error: unknown,
  hasHead: boolean,
  timeouts: TimeoutLimits | null = null,
): Refusal {
  // A request body that was refused half way: the refusal is what happened, not the broken
  // connection.
  if (error instanceof Refusal) return error;
  const code = codeOf(error);
  const known = BY_CODE.get(code);
  const detail = reasonOf(code, hasHead);
  if (known !== undefined) {
    return new Refusal(known, detail, { cause: error, limit: exceededLimit(code, timeouts) });
  }
  // Two lengths that differ are seen before the head is reported: the answer was not cut, it was
  // not valid. undici reports any fault of a head behind its Content-Length like this.
  if (code === LENGTHS_DIFFER && !hasHead) {
    return new Refusal('UPSTREAM_INVALID_RESPONSE', BEHIND_LENGTH, { cause: error });
  }
  if (CUT.has(code)) {
    return new Refusal(hasHead ? 'UPSTREAM_TRUNCATED' : 'UPSTREAM_RESET', detail, { cause: error });
  }
  if (code.startsWith('HPE_') || isParserError(error)) {
    return new Refusal('UPSTREAM_INVALID_RESPONSE', parserReason(error, code), { cause: error });
  }
  if (TLS.test(code)) return new Refusal('UPSTREAM_TLS', code, { cause: error });
  return new Refusal(hasHead ? 'UPSTREAM_TRUNCATED' : 'UPSTREAM_UNREACHABLE', code, {
    cause: error,
  });
}

/**
 * The backend answered with the status of an error before it had the whole request, on a connection
 * that was used before: content that may belong to another exchange is not read.
 */
export class EarlyStatus extends Refusal {
  readonly status: number;

  constructor(status: number) {
    super(codeOfStatus(status), `status ${status} before the end of the request`, {
      text: `The service answered with status ${status} before it had read the request.`,
    });
    this.status = status;
  }
}

/** The refusal of an answer of which only the status, that of an error, is known. */
function codeOfStatus(status: number): RefusalCode {
  if (status === 401 || status === 407) return 'UPSTREAM_AUTH';
  return UNAVAILABLE.has(status) ? 'UPSTREAM_OVERLOADED' : 'UPSTREAM_INVALID_RESPONSE';
}

/** Statuses of a proxy in front of a server that fails (RFC 9110 section 15.6). */
export const UNAVAILABLE: ReadonlySet<number> = new Set([502, 503, 504]);

/** Throws for a status of credentials that were refused, by the backend or by a proxy before it. */
export function checkAuthStatus(status: number): void {
  if (status === 401) throw new Refusal('UPSTREAM_AUTH', 'status 401');
  if (status === 407) throw new Refusal('UPSTREAM_AUTH', 'proxy: status 407');
}

/** What happened to a connection, with the code of the system or of the HTTP client. */
function reasonOf(code: string, hasHead: boolean): string {
  const reason = CUT.has(code)
    ? `the connection was closed before ${hasHead ? 'the end of the reply' : 'a reply'}`
    : REASONS.get(code);
  return reason === undefined ? code : `${reason} (${code})`;
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'the connection was refused'],
  ['ENOTFOUND', 'the name of the host has no address'],
  ['EAI_AGAIN', 'the name of the host could not be looked up'],
  ['EHOSTUNREACH', 'there is no route to the host'],
  ['ENETUNREACH', 'there is no route to the network'],
  ['ETIMEDOUT', 'no connection in time'],
  ['UND_ERR_CONNECT_TIMEOUT', 'no connection in time'],
  ['UND_ERR_HEADERS_TIMEOUT', 'no reply in time'],
  ['UND_ERR_BODY_TIMEOUT', 'no further byte of the reply in time'],
  ['UND_ERR_HEADERS_OVERFLOW', 'a longer head than allowed'],
  ['HPE_INVALID_EOF_STATE', 'the connection was closed within the reply'],
]);

function exceededLimit(
  code: string,
  timeouts: TimeoutLimits | null,
): refusals.ExceededLimit | null {
  const name = LIMITS.get(code);
  return name === undefined || timeouts === null
    ? null
    : { key: timeouts.keys[name], value: timeouts.limits[name] };
}

const LIMITS: ReadonlyMap<string, KeptLimit> = new Map([
  ['UND_ERR_CONNECT_TIMEOUT', 'connectMillis'],
  ['UND_ERR_HEADERS_TIMEOUT', 'headersMillis'],
  ['UND_ERR_BODY_TIMEOUT', 'idleMillis'],
  ['UND_ERR_HEADERS_OVERFLOW', 'headerBytes'],
]);

const BY_CODE: ReadonlyMap<string, RefusalCode> = new Map([
  ['ECONNREFUSED', 'UPSTREAM_UNREACHABLE'],
  ['ENOTFOUND', 'UPSTREAM_UNREACHABLE'],
  ['EAI_AGAIN', 'UPSTREAM_UNREACHABLE'],
  ['EHOSTUNREACH', 'UPSTREAM_UNREACHABLE'],
  ['ENETUNREACH', 'UPSTREAM_UNREACHABLE'],
  ['ETIMEDOUT', 'UPSTREAM_CONNECT_TIMEOUT'],
  ['UND_ERR_CONNECT_TIMEOUT', 'UPSTREAM_CONNECT_TIMEOUT'],
  ['UND_ERR_HEADERS_TIMEOUT', 'UPSTREAM_TIMEOUT'],
  ['UND_ERR_BODY_TIMEOUT', 'UPSTREAM_IDLE_TIMEOUT'],
  ['UND_ERR_HEADERS_OVERFLOW', 'UPSTREAM_RESPONSE_LIMIT'],
  ['HPE_INVALID_EOF_STATE', 'UPSTREAM_TRUNCATED'],
]);

const LENGTHS_DIFFER = 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';

/** The other side ended the connection. */
const CUT: ReadonlySet<string> = new Set([
  'UND_ERR_SOCKET',
  LENGTHS_DIFFER,
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
]);

/** Codes of Node and OpenSSL for certificates and TLS all begin like this. */
const TLS =
  /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_OSSL|EPROTO|HOSTNAME_MISMATCH)/;

/** undici gives its parser's complaints a code for some causes and only this name for others. */
const isParserError = (error: unknown): boolean =>
  error instanceof Error && error.name === 'HTTPParserError';

const BEHIND_LENGTH =
  'HTTP: a head that is malformed behind its Content-Length: ' +
  'two framings, two lengths or a broken field';

/**
 * What the parser of HTTP found, in its own words, which hold nothing of the answer; its code where
 * it has none.
 */
function parserReason(error: unknown, code: string): string {
  const own = jsonValues.readMember(error, 'reason');
  const written = error instanceof Error ? IN_BRACKETS.exec(error.message)?.[1] : undefined;
  const reason = typeof own === 'string' ? own : written;
  return reason === undefined || !REASON.test(reason) ? code : `HTTP: ${reason}`;
}

/** undici writes the reason of its parser into the text of the error. */
const IN_BRACKETS = /\(([^()]{1,100})\)$/;
const REASON = /^[A-Za-z0-9 ,.'`/-]{1,100}$/;

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return 'unknown';
  return typeof error.code === 'string' ? error.code : 'unknown';
}
