import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

import { Refusal } from '../base/refusal.js';
import type { Gate, GateOutput } from '../soap/gate.js';

/** A request that passed the gate as far as it had to before anything is sent on. */
export type Received =
  | { readonly kind: 'whole'; readonly message: Buffer }
  /** Its head is in order and the rest flows; the gate destroys `body` when it does not stay so. */
  | {
      readonly kind: 'flowing';
      readonly body: Readable;
      /** How much longer it is than what the caller announced, because of what was changed in its head. */
      readonly growthBytes: number;
    };

/**
 * Reads a request through the gate. Resolves when it is judged whole, or when it begins to flow. Rejects with the
 * refusal before that; after that the refusal destroys the body, which ends the upstream request before its end.
 */
export function receive(request: IncomingMessage, makeGate: (output: GateOutput) => Gate): Promise<Received> {
  return new Promise((resolve, reject) => {
    // Made for long messages only: a stream costs more than judging a short message does.
    let body: RequestBody | null = null;
    const gate = makeGate({
      whole: (message) => resolve({ kind: 'whole', message }),
      begin(growthBytes) {
        body = new RequestBody(request, leave);
        resolve({ kind: 'flowing', body, growthBytes });
      },
      data(chunk) {
        if (body?.push(chunk) === false) request.pause();
      },
      end() {
        body?.push(null);
      },
    });
    const leave = (): void => {
      request.off('data', onData).off('end', onEnd).off('close', onClose);
    };
    const stop = (caught: unknown): void => {
      leave();
      // Whoever waits for the head hears it here, whoever has the body hears it there.
      reject(caught);
      body?.destroy(caught instanceof Error ? caught : new Error('stopped'));
    };
    const onData = (chunk: Buffer): void => {
      try {
        gate.write(chunk);
      } catch (caught) {
        stop(caught);
      }
    };
    const onEnd = (): void => {
      try {
        gate.end();
      } catch (caught) {
        stop(caught);
      }
    };
    const onClose = (): void => {
      if (!request.complete) stop(new Refusal('CLIENT_GONE'));
    };
    request.on('data', onData).once('end', onEnd).once('close', onClose);
  });
}

/** The judged part of a request that is still coming in. */
class RequestBody extends Readable {
  readonly #request: IncomingMessage;

  /** `leave` is called when nobody wants any more of it. */
  constructor(request: IncomingMessage, leave: () => void) {
    super();
    this.#request = request;
    this.once('close', leave);
    // The refusal that destroys it is told to the upstream call, which ends with it; nobody else listens here.
    this.once('error', () => {});
  }

  override _read(): void {
    this.#request.resume();
  }
}
