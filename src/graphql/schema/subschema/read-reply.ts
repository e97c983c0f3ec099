import { GraphQLError } from 'graphql';
import type { replyPlans } from '../../../codec/index.js';
import { isRecord, jsonValues, Refusal, refuseByLimit } from '../../../core/index.js';
import type { SubschemaReply, SubschemaTextLimits } from '../fields/subschema.js';

/** The answer of a subschema, with the requested keys only. */
export interface SubschemaResult {
  readonly data: Record<string, unknown> | null;
  readonly errors?: readonly GraphQLError[];
}

/**
 * Reads an answer. Its errors keep their messages, as a Fault keeps its string, and their paths,
 * nothing else. `keys` are the requested response keys. Throws `UPSTREAM_RESPONSE_LIMIT`,
 * `UPSTREAM_INVALID_RESPONSE`.
 */
export function readSubschemaReply(
  reply: SubschemaReply,
  keys: ReadonlySet<string>,
  maxErrors: number,
): SubschemaResult {
  const answer = 'answer' in reply ? reply.answer : parseSubschemaText(reply.text, reply.limits);
  if (!isRecord(answer)) throw invalid('no object');
  const { data = null, errors = null } = answer;
  if (data !== null && !isRecord(data)) throw invalid('data');
  if (errors !== null && !Array.isArray(errors)) throw invalid('errors');
  if (data === null && (errors === null || errors.length === 0)) {
    throw invalid('neither data nor errors');
  }
  const kept =
    data === null ? null : Object.fromEntries([...keys].map((key) => [key, data[key] ?? null]));
  const keptErrors = (errors ?? []).slice(0, maxErrors).map((error) => cleaned(error, keys));
  if (data !== null) {
    const missing = [...keys].filter((key) => !Object.hasOwn(data, key));
    keptErrors.push(
      ...missing.filter((key) => keptErrors.every(({ path }) => path?.[0] !== key)).map(unanswered),
    );
  }
  return keptErrors.length === 0 ? { data: kept } : { data: kept, errors: keptErrors };
}

const invalid = (rule: string): Refusal =>
  new Refusal('UPSTREAM_INVALID_RESPONSE', `GraphQL: ${rule}`);

/**
 * Parses the text of an upstream's answer. Throws `UPSTREAM_RESPONSE_LIMIT`,
 * `UPSTREAM_INVALID_RESPONSE`.
 */
export function parseSubschemaText(text: string, { depth, values }: SubschemaTextLimits): unknown {
  try {
    // Commas and opening brackets are one less than values.
    return jsonValues.parseStrictJson(text, {
      levels: depth,
      parts: values - 1,
      members: Infinity,
    });
  } catch (error) {
    if (!(error instanceof jsonValues.JsonBoundsError)) throw invalid('no JSON');
    throw error.bound === 'levels'
      ? refuseByLimit(
          'UPSTREAM_RESPONSE_LIMIT',
          'limits.remote.responseDepth',
          depth,
          null,
          'GraphQL: depth',
        )
      : refuseByLimit(
          'UPSTREAM_RESPONSE_LIMIT',
          'limits.remote.responseValues',
          values,
          null,
          'GraphQL: values',
        );
  }
}

const MESSAGE_CHARS = 1000;
const PATH_STEPS = 200;

function cleaned(error: unknown, keys: ReadonlySet<string>): GraphQLError {
  const { message = null, path = null } = isRecord(error) ? error : {};
  const text =
    typeof message === 'string' && message !== '' ? message.slice(0, MESSAGE_CHARS) : NO_MESSAGE;
  const isOurs =
    Array.isArray(path) &&
    path.length <= PATH_STEPS &&
    keys.has(String(path[0])) &&
    path.every(isStep);
  const upstream = refusalOf(error);
  return new GraphQLError(text, {
    path: isOurs ? path : null,
    extensions: { code: SUBSCHEMA_ERROR, ...(upstream === null ? {} : { upstream }) },
  });
}

/** The code and id of an error that is a refusal of another gateway; null for any other. */
function refusalOf(error: unknown): replyPlans.UpstreamRefusal | null {
  const { extensions = null } = isRecord(error) ? error : {};
  return upstreamRefusal(extensions);
}

/** The code and id in these extensions; null where they are none of a gateway. */
export function upstreamRefusal(extensions: unknown): replyPlans.UpstreamRefusal | null {
  if (!isRecord(extensions)) return null;
  const { code, id } = extensions;
  if (typeof code !== 'string' || !CODE.test(code)) return null;
  return typeof id === 'string' && EXCHANGE_ID.test(id) ? { code, id } : null;
}

const CODE = /^[A-Z][A-Z0-9_]{2,63}$/;
const EXCHANGE_ID = /^[0-9a-z]{1,16}-[0-9a-z]{1,16}$/;

/** The error of a requested key without an answer, not even null. */
const unanswered = (key: string): GraphQLError =>
  new GraphQLError('no answer to what was asked for', { path: [key] });

/** The code of errors from a subschema. */
export const SUBSCHEMA_ERROR = 'GRAPHQL_UPSTREAM_ERROR';

const NO_MESSAGE = 'The service gave an error without a message.';

const isStep = (step: unknown): boolean =>
  typeof step === 'string' || (typeof step === 'number' && Number.isInteger(step) && step >= 0);
