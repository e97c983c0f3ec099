import type { ServerResponse } from 'node:http';
import { Refusal, type RefusalCode, refusals } from '../../core/index.js';
import type { Exchange } from '../../gateway/exchange.js';
import type { GraphqlResponse, namedOperations } from '../../graphql/index.js';
import { refuseInForm } from '../http/refuse.js';

const PROBLEM_TYPE = 'application/problem+json';

/** The status of a Fault whose code blames the request. */
const SENDER_STATUS = 422;

interface ProblemParts {
  readonly code: RefusalCode;
  readonly status: number;
  readonly detail: string;
  readonly errors?: readonly (
    | namedOperations.PrintedProblem
    | { readonly parameter: string; readonly detail: string }
  )[];
  readonly fault?: namedOperations.DescribedFault | null;
}

const MALFORMED = 'The request is malformed.';

/**
 * Problem details (RFC 9457). `title` is that of the code; `requestId` is what log lines call `id`.
 */
const printProblem = (
  { code, status, detail, errors = [], fault = null }: ProblemParts,
  id: string,
): string =>
  JSON.stringify({
    type: `urn:soapstone:problem:${code}`,
    title: code === 'BAD_REQUEST' ? MALFORMED : refusals.kindOf(code).text,
    status,
    detail,
    code,
    requestId: id,
    ...(errors.length === 0 ? {} : { errors }),
    ...(fault === null ? {} : { fault: fault.parts }),
  });

const FIELDS: Readonly<Record<string, string>> = {
  'content-type': PROBLEM_TYPE,
  'x-content-type-options': 'nosniff',
};

/**
 * The answer to a call that was refused, or failed. `refusal` is what the exchange has recorded.
 */
export function problemOf(
  outcome: Exclude<namedOperations.DescribedOutcome, { readonly kind: 'value' }>,
  { id, refusal: recorded }: Pick<Exchange, 'id' | 'refusal'>,
): GraphqlResponse {
  if (outcome.kind === 'refused') {
    const { refusal, detail, problems, fieldProblems } = outcome;
    const errors = [
      ...problems,
      ...fieldProblems.map((each) => ({ parameter: 'fields', detail: each })),
    ];
    return problemAnswer(
      { code: refusal.code, status: refusals.wireStatus(refusal, 'http'), detail, errors },
      id,
      refusal,
    );
  }
  const { code, detail, fault } = outcome;
  const refusal = recorded?.code === code ? recorded : new Refusal(code);
  const status = statusOfFailure(refusal, fault);
  return problemAnswer({ code, status, detail, fault }, id, refusal);
}

function statusOfFailure(refusal: Refusal, fault: namedOperations.DescribedFault | null): number {
  // The backend wants other credentials of the caller, whatever else its Fault says.
  if (refusal.challenge !== null) return 401;
  return fault?.isOfSender === true ? SENDER_STATUS : refusals.wireStatus(refusal, 'http');
}

/** The answer to a request that is none of the endpoint. `allow`: the methods of the address. */
export const requestProblem = (refusal: Refusal, id: string, allow: string): GraphqlResponse =>
  problemAnswer(
    { code: refusal.code, status: refusals.wireStatus(refusal, 'http'), detail: detailOf(refusal) },
    id,
    refusal,
    allow,
  );

function problemAnswer(
  parts: ProblemParts,
  id: string,
  refusal: Refusal,
  allow: string | null = null,
): GraphqlResponse {
  const headers: Record<string, string> = { ...FIELDS };
  if (refusal.retryAfter !== null) {
    headers['retry-after'] = refusal.retryAfter;
  }
  // A backend that refuses credentials may send no challenge.
  if (refusal.challenge !== null && refusal.challenge !== '') {
    headers['www-authenticate'] = refusal.challenge;
  }
  if (refusal.code === 'HTTP_METHOD' && allow !== null) {
    headers['allow'] = allow;
  }
  return { status: parts.status, headers, body: printProblem(parts, id) };
}

/** The rule of a request that could not be read describes it without its values. */
const detailOf = ({ code, message, detail, limit }: Refusal): string => {
  if (limit !== null) return `${message} ${limit.key} is ${limit.value}.`;
  return code === 'BAD_REQUEST' && detail !== null ? detail : message;
};

/** Answers a request that was refused before its operation was looked at. */
export const refuseRest = (exchange: Exchange, response: ServerResponse, refusal: Refusal): void =>
  refuseInForm(exchange, response, refusal, PROBLEM_TYPE, (status) =>
    printProblem({ code: refusal.code, status, detail: detailOf(refusal) }, exchange.id),
  );
