import DataLoader from 'dataloader';

/** What one object is asked for by. */
export interface BatchKey {
  /** Equal keys have equal texts. */
  readonly text: string;
  readonly value: unknown;
}

/** Answers keys in one call; the answers are in the order of the keys. */
export type AnswerKeys<Answer> = (keys: readonly BatchKey[]) => Promise<readonly Answer[]>;

/**
 * Collects the keys that are asked for at the same time, each once, and has them answered together. Answers are kept
 * as long as this: for one request.
 */
export class LinkBatches<Answer> {
  readonly #maxBatchSize: number;
  readonly #loaders = new Map<string, DataLoader<BatchKey, Answer, string>>();

  constructor(maxBatchSize: number) {
    this.#maxBatchSize = maxBatchSize;
  }

  forget(): void {
    this.#loaders.clear();
  }

  /** `group` names what is asked: keys of one group go into one call. The first `answer` of a group serves it. */
  load(group: string, key: BatchKey, answer: AnswerKeys<Answer>): Promise<Answer> {
    let loader = this.#loaders.get(group);
    if (loader === undefined) {
      loader = new DataLoader(answer, { maxBatchSize: this.#maxBatchSize, cacheKeyFn: ({ text }) => text });
      this.#loaders.set(group, loader);
    }
    return loader.load(key);
  }
}
