import { createHash } from 'node:crypto';
import type { CallerIdentity, Client } from '../../access/client.js';
import type { RequestContext } from '../../codec/index.js';
import type { SoapService } from '../../compile/soap/service.js';
import type { SubjectToken } from '../../core/index.js';
import { isOfAsker, NO_PART, type PartTable, viewOf } from './call-parts.js';
import { withoutOwnCookie } from './caller-fields.js';

/**
 * The token of a caller that a call of this service needs; null where it needs none, or the caller
 * has none.
 */
export const subjectOf = (
  { session }: Pick<SoapService, 'session'>,
  client: Client,
): SubjectToken | null =>
  session === null || session.tokensOf === null ? null : client.subjectToken;

/** The parts of a caller that calls of an operation are made from, before there is a call. */
interface CallerParts {
  readonly client: Client;
  /** The token of the caller, where the service needs it; else null. */
  readonly subject: SubjectToken | null;
  readonly claims: RequestContext['claims'];
  /** What a decision point has said about the caller, for this operation. */
  readonly decided: Client['decided'];
  /** Header fields of the caller's request. */
  readonly headers: CallerIdentity['headers'];
  /** The second backend of the service, where the caller's calls go there; else null. */
  readonly backend: SoapService['chosen'];
}

/** The operation that is called. */
interface CalledOperation {
  readonly service: SoapService;
  readonly operation: string;
}

/**
 * The keys that are made before there is a call. `poll`: one call for all subscribers whose calls
 * are the same. `holder`: an address of a download is for one holder. `rows`: a cursor is for the
 * rows that one caller sees, from whatever address.
 */
type CallerView = 'poll' | 'holder' | 'rows';

/**
 * A part that is added to `CallerParts` does not compile until its row says how it counts in each
 * view.
 */
const CALLER_PARTS: PartTable<CallerView, CallerParts, CalledOperation> = {
  client: {
    poll: NO_PART,
    holder: ({ id }) => id,
    rows: ({ id, isAuthenticated }) => (isAuthenticated ? id : null),
  },
  // A renewed token may have other scopes.
  subject: {
    poll: (subject) => subject?.key ?? null,
    holder: (subject) => subject?.user ?? null,
    rows: (subject) => subject?.user ?? null,
  },
  claims: { poll: claimValues, holder: claimValues, rows: claimValues },
  // A download asks the decision point anew, and calls by what it says then.
  decided: { poll: claimValues, holder: NO_PART, rows: claimValues },
  headers: { poll: fieldValues, holder: fieldValuesOfAsker, rows: fieldValuesOfAsker },
  backend: {
    poll: (backend) => (backend === null ? null : [backend.digest, backend.isAsked]),
    // An address names the backend itself.
    holder: NO_PART,
    rows: (backend) => backend?.digest ?? null,
  },
};

/** The values that stand for a caller in the keys of one kind. */
export const callerView = (
  view: CallerView,
  called: CalledOperation,
  client: Client,
  headers: CallerIdentity['headers'],
): readonly unknown[] => {
  const subject = subjectOf(called.service, client);
  const { claims, decided } = client;
  const { chosen: backend } = called.service;
  return viewOf(view, CALLER_PARTS, { client, subject, claims, decided, headers, backend }, called);
};

/** `callerView` as one short text. */
export const callerDigest = (...about: Parameters<typeof callerView>): string =>
  createHash('sha256')
    .update(JSON.stringify(callerView(...about)))
    .digest('base64url');

/** The claims that requests of the operation hold. */
function claimValues(
  claims: CallerParts['claims'],
  { service, operation }: CalledOperation,
): readonly unknown[] {
  return (service.claims.get(operation) ?? []).map((name) => claims?.[name] ?? null);
}

/** The header fields of callers, by name, that go into requests of a service or on with them. */
export const fieldsThatReach = ({ callerFields }: SoapService): readonly string[] => [
  ...callerFields.inRequests,
  ...callerFields.varying,
];

function fieldValues(
  headers: CallerParts['headers'],
  { service }: CalledOperation,
): readonly unknown[] {
  const fields = withoutOwnCookie(headers, service.callerFields);
  return fieldsThatReach(service).map((name) => fields[name] ?? null);
}

function fieldValuesOfAsker(
  headers: CallerParts['headers'],
  called: CalledOperation,
): readonly unknown[] {
  const named = Object.entries(headers).filter(([name]) => isOfAsker(name));
  return fieldValues(Object.fromEntries(named), called);
}
