import type { BatchKey } from './key-answers.js';
import { AskedLink, type LinkAnswer } from './link-answer.js';

/** Answers keys, in their order. */
type AnswerKeys = (keys: readonly BatchKey[]) => Promise<readonly LinkAnswer[]>;

/**
 * Collects the keys of one list operation that are asked for at the same time, each once. A key
 * that was asked for before has its answer already. A promise for each key, as DataLoader has it,
 * costs as much as all else that is done for one.
 */
export class KeyLoader {
  readonly #answerKeys: AnswerKeys;
  readonly #keysMax: number;
  readonly #asked = new Map<string, AskedLink>();
  #open: KeyBatch | null = null;

  /** `keysMax`: keys of one call. */
  constructor(answerKeys: AnswerKeys, keysMax: number) {
    this.#answerKeys = answerKeys;
    this.#keysMax = keysMax;
  }

  /** `name`: equal for keys that have one answer. */
  load(key: BatchKey, name: string): AskedLink {
    const known = this.#asked.get(name);
    if (known !== undefined) return known;
    if (this.#open === null || this.#open.keys.length === this.#keysMax) {
      this.#open = new KeyBatch((batch) => this.#answer(batch));
    }
    const asked = this.#open.add(key);
    this.#asked.set(name, asked);
    return asked;
  }

  async #answer(batch: KeyBatch): Promise<void> {
    if (this.#open === batch) {
      this.#open = null;
    }
    const answers = await this.#answerKeys(batch.keys);
    for (const [at, asked] of batch.asked.entries()) {
      asked.answer = answers[at] ?? null;
    }
  }
}

/** The keys of one call. */
class KeyBatch {
  readonly keys: BatchKey[] = [];
  readonly asked: AskedLink[] = [];
  readonly #done: Promise<void>;

  constructor(answer: (batch: KeyBatch) => Promise<void>) {
    this.#done = afterPromiseJobs().then(() => answer(this));
  }

  add(key: BatchKey): AskedLink {
    const asked = new AskedLink(this.#done);
    this.keys.push(key);
    this.asked.push(asked);
    return asked;
  }
}

/** Fulfilled when the promise jobs of now have run: the fields of one level ask in several. */
const afterPromiseJobs = (): Promise<void> =>
  Promise.resolve().then(() => new Promise((resolve) => process.nextTick(resolve)));
