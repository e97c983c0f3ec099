import type { GraphQLSchema } from 'graphql';
import { isRecord } from '../../core/index.js';
import { type DescribedOperation, lifecycle, namedOperations } from '../../graphql/index.js';
import type { CallerHost } from '../graphql/host.js';
import { boundValue } from './bound-value.js';
import { FIELDS_ARGUMENT, isWrapped, takesFields } from './tool.js';

/** The result of `tools/call`. */
export interface ToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: true;
}

/** Longest text of an error. */
const ERROR_CHARS_MAX = 2000;

/** Errors of parts of an answer that are told. */
const ERRORS_MAX = 10;

export const errorResult = (text: string): ToolResult => ({
  content: texts(text.slice(0, ERROR_CHARS_MAX)),
  isError: true,
});

/** A call of the operation of a tool. */
interface ToolCall {
  readonly described: DescribedOperation;
  readonly values: Readonly<Record<string, unknown>>;
}

/** How long an answer may be, and the schema of its types. */
interface AnswerBounds {
  readonly answerBytes: number;
  readonly schema: GraphQLSchema;
}

/** Calls the operation of a tool. Rejects with `CLIENT_GONE`, or with a bug. */
export async function callTool(
  calls: namedOperations.DescribedCalls,
  { described, values }: ToolCall,
  host: CallerHost,
  { answerBytes, schema }: AnswerBounds,
): Promise<ToolResult> {
  let call: namedOperations.DescribedCall = { described, values, fields: null };
  if (takesFields(described) && Object.hasOwn(values, FIELDS_ARGUMENT)) {
    const { [FIELDS_ARGUMENT]: fields, ...others } = values;
    if (fields !== null && typeof fields !== 'string') {
      return errorResult(`/${FIELDS_ARGUMENT} must be a string.`);
    }
    call = { described, values: others, fields };
  }
  const outcome = await calls.call(call, host);
  if (outcome.kind !== 'value') return errorResult(messageOf(outcome));
  const { value, text, note } = boundValue(
    outcome.value,
    answerBytes,
    described.field.type,
    schema,
  );
  const { errors, areCut } = outcome;
  const failed = errors
    .slice(0, ERRORS_MAX)
    .map(
      ({ path = [], message }) => `${namedOperations.pointerOf(path.slice(1))} is null: ${message}`,
    );
  const more = areCut || errors.length > ERRORS_MAX ? [lifecycle.MORE_ERRORS] : [];
  const notes = [...(note === null ? [] : [note]), ...failed, ...more];
  return {
    content: texts(
      ...(text === '' ? [] : [text]),
      ...(notes.length === 0 ? [] : [notes.join('\n')]),
    ),
    structuredContent: structured(described, value),
  };
}

/** A value that was left out is no member. */
function structured(described: DescribedOperation, value: unknown): unknown {
  if (!isWrapped(described)) return isRecord(value) ? value : {};
  return value === undefined ? {} : { result: value };
}

const texts = (...parts: readonly string[]): ToolResult['content'] =>
  parts.map((text) => ({ type: 'text', text }));

/** The string of a Fault as it is; else what is wrong, with all arguments that are. */
function messageOf(
  outcome: Exclude<namedOperations.DescribedOutcome, { readonly kind: 'value' }>,
): string {
  if (outcome.kind === 'failed') return outcome.detail;
  const { detail, problems, fieldProblems, refusal } = outcome;
  const listed = [
    ...problems.map((each) => namedOperations.problemSentence(each, 'The arguments')),
    ...fieldProblems.map((each) => namedOperations.asSentence(`/${FIELDS_ARGUMENT}: ${each}`)),
  ];
  if (listed.length > 0) return listed.join('\n');
  return refusal.retryAfter === null
    ? detail
    : `${detail} Try again in ${refusal.retryAfter} seconds.`;
}
