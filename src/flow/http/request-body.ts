import { Readable } from 'node:stream';

/** The validated part of a request that is still coming in. */
export class RequestBody extends Readable {
  readonly #resume: () => void;

  /** `resume` is called when more is wanted, `leave` when no more of it is wanted. */
  constructor(resume: () => void, leave: () => void) {
    super();
    this.#resume = resume;
    this.once('close', leave);
    // The upstream call gets the refusal that destroys the body, and ends with it; there is no other listener.
    this.once('error', () => {});
  }

  override _read(): void {
    this.#resume();
  }
}
