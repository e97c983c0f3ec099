/** An answer of GraphQL. */
export interface GraphqlAnswer {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly GraphqlError[];
}

interface GraphqlError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly extensions: { readonly code?: string; readonly [name: string]: unknown };
}

/**
 * The answer of GraphQL in this text, without what it has cost: that changes with what calls and
 * objects are worth.
 */
export function answerIn<T extends object = GraphqlAnswer>(text: string): T {
  const answer: T & { extensions?: Record<string, unknown> } = JSON.parse(text);
  const { cost, ...others } = answer.extensions ?? {};
  if (cost === undefined) return answer;
  if (Object.keys(others).length > 0) return { ...answer, extensions: others };
  delete answer.extensions;
  return answer;
}

/** The pattern of an answer whose one error has this code. */
export const errorWith = (code: string | RegExp) => ({ errors: [{ extensions: { code } }] });

/** The codes of the errors of an answer. */
export const codesOf = ({ errors = [] }: GraphqlAnswer): readonly (string | undefined)[] =>
  errors.map(({ extensions }) => extensions.code);

/** The codes of the errors of an answer, each before the path of its field. */
export const codesAt = ({ errors = [] }: GraphqlAnswer): readonly string[] =>
  errors.map(({ path = [], extensions }) => `${extensions.code} ${path.join('.')}`);
