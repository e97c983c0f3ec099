import { createHash } from 'node:crypto';
import { jsonValues, Refusal, refuseByLimit } from '../../core/index.js';
import { rawParams } from '../admission/params.js';

/** Throws `BATCHING_NOT_SUPPORTED` for a batch that is empty, too long, or holds another one. */
export function checkBatch(items: readonly unknown[], most: number): void {
  if (items.length > most) {
    throw refuseByLimit('BATCHING_NOT_SUPPORTED', 'graphql.batch', most, items.length);
  }
  if (items.length === 0 || items.some(Array.isArray)) {
    throw new Refusal('BATCHING_NOT_SUPPORTED', `${items.length} requests`);
  }
}

/** The place of a request in its batch. */
export interface BatchPlace {
  readonly at: number;
  /**
   * What tells each request of the batch from others. Throws a `Refusal` where a file is part of
   * one.
   */
  readonly requests: () => readonly string[];
}

/**
 * Hashes the document, the operation and the variables of each request, once they are asked for.
 */
export function batchRequests(items: readonly unknown[]): BatchPlace['requests'] {
  let hashes: readonly string[] | null = null;
  return () => (hashes ??= items.map((item) => sha256(jsonValues.canonical(partsOf(item)))));
}

/**
 * The parts of a request that decide what it does; null for one that is refused. A document may
 * come by its hash.
 */
function partsOf(item: unknown): readonly unknown[] | null {
  try {
    const { query, document, operationName, variables } = rawParams(item);
    return [query === null ? document?.id : sha256(query), operationName, variables];
  } catch {
    return null;
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Answers the requests of a batch, in their order. Queries run side by side; a mutation waits for
 * all requests before it, and all requests after it wait for the mutation. `answer` awaits `begin`
 * between the admission of an operation and its run.
 */
export async function answerInOrder<T, A>(
  items: readonly T[],
  answer: (item: T, at: number, begin: (isMutation: boolean) => Promise<void>) => Promise<A>,
): Promise<readonly A[]> {
  const answers: Promise<A>[] = [];
  for (const [at, item] of items.entries()) {
    const before = Promise.allSettled(answers);
    await new Promise<void>((resolve) => {
      const begin = async (isMutation: boolean): Promise<void> => {
        if (isMutation) {
          await before;
        } else {
          resolve();
        }
      };
      const answering = answer(item, at, begin);
      answers.push(answering);
      answering.then(
        () => resolve(),
        () => resolve(),
      );
    });
  }
  return Promise.all(answers);
}

/**
 * The answer to a batch: the list of the answers to its requests. The status is theirs if they
 * agree, and 200 if not.
 */
export function joinAnswers(answers: readonly GraphqlResponse[]): GraphqlResponse {
  const statuses = new Set(answers.map(({ status }) => status));
  const types = new Set(answers.map(({ headers }) => headers['content-type']));
  const waits = answers
    .map(({ headers }) => Number(headers['retry-after'] ?? 0))
    .filter((seconds) => seconds > 0);
  const [status = 200, ...others] = statuses;
  const [type = JSON_TYPE, ...otherTypes] = types;
  return {
    status: others.length === 0 ? status : 200,
    headers: {
      'content-type': otherTypes.length === 0 ? type : JSON_TYPE,
      'x-content-type-options': 'nosniff',
      ...(waits.length === 0 ? {} : { 'retry-after': String(Math.max(...waits)) }),
    },
    body: `[${answers.map(({ body }) => body ?? 'null').join(',')}]`,
    hasErrors: answers.some(({ hasErrors }) => hasErrors !== false),
  };
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** The answer to a GraphQL request over HTTP, or to one of a batch. */
export interface GraphqlResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Null for an empty body. */
  readonly body: string | null;
  /** Whether the result has errors; absent where it is none. */
  readonly hasErrors?: boolean;
}
