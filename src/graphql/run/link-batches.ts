import DataLoader from 'dataloader';

/** The key of one object. */
export interface BatchKey {
  /** Equal keys have equal texts. */
  readonly text: string;
  readonly value: unknown;
}

/** Answers keys in one call; the answers are in the order of the keys. */
export type AnswerKeys<Answer> = (keys: readonly BatchKey[]) => Promise<readonly Answer[]>;

/** Collects the keys of links that are called at the same time, each once, for one call. Lives for one request. */
export class LinkBatches<Answer> {
  readonly #maxBatchSize: number;
  readonly #loaders = new Map<string, DataLoader<BatchKey, Answer, string>>();

  constructor(maxBatchSize: number) {
    this.#maxBatchSize = maxBatchSize;
  }

  forget(): void {
    this.#loaders.clear();
  }

  /** Keys of one `group` go into one call, which the first `answer` of the group makes. */
  load(group: string, key: BatchKey, answer: AnswerKeys<Answer>): Promise<Answer> {
    let loader = this.#loaders.get(group);
    if (loader === undefined) {
      loader = new DataLoader(answer, { maxBatchSize: this.#maxBatchSize, cacheKeyFn: ({ text }) => text });
      this.#loaders.set(group, loader);
    }
    return loader.load(key);
  }
}
