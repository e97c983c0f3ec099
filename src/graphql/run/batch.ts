import { Refusal, refuseByLimit } from '../../base/refusals/refusal.js';
import type { GraphqlResponse } from './graphql-response.js';

/** Throws `BATCHING_NOT_SUPPORTED` for a batch that is empty, too long, or holds another one. */
export function checkBatch(items: readonly unknown[], most: number): void {
  if (items.length > most)
    throw refuseByLimit('BATCHING_NOT_SUPPORTED', 'graphql.batch', most, items.length);
  if (items.length === 0 || items.some(Array.isArray)) {
    throw new Refusal('BATCHING_NOT_SUPPORTED', `${items.length} requests`);
  }
}

/**
 * Answers the requests of a batch, in their order. Queries run side by side; a mutation waits for all requests before
 * it, and all requests after it wait for the mutation. `answer` awaits `begin` between the admission of an operation and
 * its run.
 */
export async function answerInOrder<T, A>(
  items: readonly T[],
  answer: (item: T, begin: (isMutation: boolean) => Promise<void>) => Promise<A>,
): Promise<readonly A[]> {
  const answers: Promise<A>[] = [];
  for (const item of items) {
    const before = Promise.allSettled(answers);
    await new Promise<void>((resolve) => {
      const begin = async (isMutation: boolean): Promise<void> => {
        if (isMutation) await before;
        else resolve();
      };
      const answering = answer(item, begin);
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
 * The answer to a batch: the list of the answers to its requests. The status is theirs if they agree, and 200 if not.
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
