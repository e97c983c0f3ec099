import type { Buffer } from 'node:buffer';
import type { Refusal } from '../../core/index.js';
import type { ReplyHead, UpstreamReceiver } from '../../upstream/index.js';
import { type FaultFinder, findFault } from '../reply/fault-finder.js';
import type { BackendCall } from './backend-call.js';

/** The call, whose reply slows calls down where it is a Fault of `rate.backOffOn`. */
export function withBackOff<T extends BackendCall>(parts: T): T {
  const { service, upstream = null, request } = parts;
  const names = upstream === null ? service.upstream.rulesOf(request).backOffOn : null;
  return names === null ? parts : { ...parts, receiver: new BackOffReceiver(parts, names) };
}

/** Reads Faults beside the receiver of the reply. */
class BackOffReceiver implements UpstreamReceiver {
  readonly #parts: BackendCall;
  readonly #names: ReadonlySet<string>;
  #finder: FaultFinder | null = null;

  constructor(parts: BackendCall, names: ReadonlySet<string>) {
    this.#parts = parts;
    this.#names = names;
  }

  sent(): void {
    this.#parts.receiver.sent?.();
  }

  head(head: ReplyHead): void {
    // Some stacks answer Faults with 200: the reader stops at the first element that is none.
    this.#release();
    const { service, operation } = this.#parts;
    this.#finder = findFault(head, service, this.#names, operation);
    this.#parts.receiver.head(head);
  }

  data(chunk: Buffer): void {
    if (this.#finder?.isOther === false) {
      this.#finder.write(chunk);
    }
    this.#parts.receiver.data(chunk);
  }

  end(): void {
    const { service, request } = this.#parts;
    if (this.#finder?.end() === true) {
      service.upstream.rulesOf(request).slowDown(request.caller ?? '');
    }
    this.#release();
    this.#parts.receiver.end();
  }

  failed(refusal: Refusal): void {
    this.#release();
    this.#parts.receiver.failed(refusal);
  }

  #release(): void {
    this.#finder?.release();
    this.#finder = null;
  }
}
