import { invariant } from '../invariant.js';
import type { RefusalKind } from './refusal-kind.js';

/**
 * Refusals that several packages name. All others are rows of the package that refuses.
 *
 * A row names the party to blame; HTTP status, SOAP fault code and GraphQL status are derived from
 * that and from the dialect, so they cannot disagree with it. Texts are public: they never hold
 * input, addresses or upstream bodies.
 *
 * `peer` is the sender of the message: the XML reader and the envelope validator do not know the
 * direction. `asUpstream` turns a peer's refusal of a reply into `UPSTREAM_INVALID_RESPONSE`.
 */
export const CORE_REFUSALS = {
  http: {
    // The HTTP layer: a real status, no body, no SOAP message exists yet.
    HTTP_BAD_REQUEST: { blame: 'client', status: 400, text: 'The request is malformed.' },
    HTTP_TINY_CHUNKS: {
      blame: 'client',
      status: 400,
      isAbrupt: true,
      text: 'The body comes in pieces of a few bytes.',
    },
    HTTP_NOT_FOUND: { blame: 'client', status: 404, text: 'There is nothing at this address.' },
    HTTP_METHOD: {
      blame: 'client',
      status: 405,
      text: 'The method is not offered at this address.',
    },
    HTTP_TIMEOUT: { blame: 'client', status: 408, text: 'The request took too long to arrive.' },
    HTTP_LENGTH_REQUIRED: { blame: 'client', status: 411, text: 'A Content-Length is required.' },
    HTTP_TOO_LARGE: { blame: 'client', status: 413, text: 'The request is longer than allowed.' },
    HTTP_URI_TOO_LONG: {
      blame: 'client',
      status: 414,
      text: 'The request target is longer than allowed.',
    },
    HTTP_HEADER_LIMIT: {
      blame: 'client',
      status: 431,
      text: 'The request has more header fields than allowed.',
    },
    HTTP_TRANSFER_CODING: {
      blame: 'client',
      status: 501,
      text: 'Chunked is the only transfer coding accepted.',
    },
    HTTP_VERSION: { blame: 'client', status: 505, text: 'Only HTTP 1.0 and 1.1 are spoken here.' },
    HTTP_MEDIA_TYPE: {
      blame: 'client',
      status: 415,
      text: 'The Content-Type or coding is not accepted.',
    },

    HTTP_EXPECTATION: {
      blame: 'client',
      status: 417,
      text: 'The only expectation met is 100-continue.',
    },
    HTTP_CONNECTIONS: {
      blame: 'client',
      status: 429,
      text: 'The client has too many connections.',
    },

    HTTP_ORIGIN: {
      blame: 'client',
      status: 403,
      text: 'Pages of this origin may not open a WebSocket here.',
    },

    HTTP_MISDIRECTED: {
      blame: 'client',
      status: 421,
      text: 'The Host is not one of this gateway.',
    },
  },
  replies: {
    UPSTREAM_INVALID_RESPONSE: { blame: 'upstream', text: 'The service gave no valid answer.' },
    UPSTREAM_RESPONSE_LIMIT: {
      blame: 'upstream',
      text: 'The answer of the service is larger than allowed: it exceeds a limit of the gateway.',
    },
    UPSTREAM_SCHEMA_INVALID: { blame: 'upstream', text: 'The service left its own contract.' },
  },
  faults: {
    SOAP_FAULT: { blame: 'upstream', level: 'info', text: 'The service answered with a Fault.' },
  },
  requests: {
    BAD_REQUEST: { blame: 'client', status: 400, text: 'The GraphQL request is malformed.' },
    BAD_USER_INPUT: { blame: 'client', status: 400, text: 'An argument has no valid value.' },
  },
  access: {
    // Authentication, authorization and budgets. SOAP callers get a Fault.
    UNAUTHENTICATED: {
      blame: 'client',
      httpStatus: 401,
      text: 'The credentials were not accepted.',
    },
    FORBIDDEN: {
      blame: 'client',
      httpStatus: 403,
      text: 'The client may not call this operation.',
    },
    RATE_LIMITED: {
      blame: 'client',
      httpStatus: 429,
      text: 'The limit is reached for now: the budget is spent, or too much is in progress.',
      shows: ['retryAfter'],
      remedy: 'Send fewer requests at once.',
    },

    CREDENTIALS_UNVERIFIED: {
      blame: 'us',
      level: 'warn',
      httpStatus: 503,
      text: 'The credentials cannot be verified at present.',
    },
  },
  process: {
    // The gateway.
    OVERLOADED: {
      blame: 'us',
      level: 'warn',
      httpStatus: 503,
      retryAfterSeconds: 1,
      text: 'The gateway is overloaded.',
      shows: ['retryAfter'],
      remedy: 'Send the request again later.',
    },
    AUDIT_UNAVAILABLE: {
      blame: 'us',
      level: 'warn',
      httpStatus: 503,
      retryAfterSeconds: 1,
      text: 'Decisions cannot be recorded at present.',
      shows: ['retryAfter'],
      remedy: 'Send the request again later.',
    },
    LOOP_DETECTED: {
      blame: 'us',
      level: 'warn',
      httpStatus: 508,
      text: 'The request has passed this gateway before.',
    },
    CLIENT_GONE: { blame: 'client', level: 'info', text: 'The client closed the connection.' },
    INTERNAL: { blame: 'us', text: 'Unexpected error.' },
  },
} as const satisfies Record<string, Record<string, RefusalKind>>;

/** The public text of `UNAUTHENTICATED` where a request has no credentials. */
export const CREDENTIALS_MISSING = 'Credentials are required.';

type Groups = typeof CORE_REFUSALS;
type CoreRefusals = Groups['http'] &
  Groups['replies'] &
  Groups['faults'] &
  Groups['requests'] &
  Groups['access'] &
  Groups['process'];

/** The rows of all packages, by code: each package declares its own beside them. */
export interface RefusalTable extends CoreRefusals {}

export type RefusalCode = keyof RefusalTable;

type Rows = Readonly<Record<RefusalCode, RefusalKind>>;

let installed: Partial<Rows> = Object.assign({}, ...Object.values(CORE_REFUSALS));

/** Sets the rows of all packages, which a program joins before it uses any of them. */
export function installRefusals(rows: Rows): void {
  installed = rows;
}

/** Whether a value of another process is a code. */
export const isRefusalCode = (code: unknown): code is RefusalCode =>
  typeof code === 'string' && Object.hasOwn(installed, code);

/** The row of a code. */
export function kindOf(code: RefusalCode): RefusalKind {
  const kind = installed[code];
  invariant(kind !== undefined, `the row of ${code} is installed`);
  return kind;
}
