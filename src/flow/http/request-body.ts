import { Readable } from 'node:stream';

/** The judged part of a request that is still coming in. */
export class RequestBody extends Readable {
  readonly #resume: () => void;

  /** `resume` is called when more is wanted, `leave` when nobody wants any more of it. */
  constructor(resume: () => void, leave: () => void) {
    super();
    this.#resume = resume;
    this.once('close', leave);
    // The refusal that destroys it is told to the upstream call, which ends with it; nobody else listens here.
    this.once('error', () => {});
  }

  override _read(): void {
    this.#resume();
  }
}
