import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

import { Refusal } from '../base/refusal.js';
import type { Gate, GateOutput } from '../soap/gate.js';

/** A request that passed the gate as far as it had to before anything is sent on. */
export type Received =
  | { readonly kind: 'whole'; readonly message: Buffer }
  /** Its head is in order and the rest flows; the gate destroys `body` when it does not stay so. */
  | { readonly kind: 'flowing'; readonly body: Readable };

/**
 * Reads a request through the gate. Resolves when it is judged whole, or when it begins to flow. Rejects with the
 * refusal before that; after that the refusal destroys the body, which ends the upstream request before its end.
 */
export function receive(request: IncomingMessage, makeGate: (output: GateOutput) => Gate): Promise<Received> {
  return new Promise((resolve, reject) => {
    const body = new RequestBody(request);
    const gate = makeGate({
      whole: (message) => resolve({ kind: 'whole', message }),
      begin: () => resolve({ kind: 'flowing', body }),
      data: (chunk) => {
        if (!body.push(chunk)) request.pause();
      },
      end: () => {
        body.push(null);
      },
    });
    const stop = (caught: unknown): void => {
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      // Whoever waits for the head hears it here, whoever has the body hears it there.
      reject(caught);
      body.destroy(caught instanceof Error ? caught : new Error('stopped'));
    };
    const attempt = (step: () => void): void => {
      try {
        step();
      } catch (caught) {
        stop(caught);
      }
    };
    const onData = (chunk: Buffer): void => attempt(() => gate.write(chunk));
    const onEnd = (): void => attempt(() => gate.end());
    const onClose = (): void => {
      if (!request.complete) stop(new Refusal('CLIENT_GONE'));
    };
    body.once('close', () => request.off('data', onData).off('end', onEnd).off('close', onClose));
    // The refusal is told to the upstream call, which ends with it; nobody else listens here.
    body.once('error', () => {});
    request.on('data', onData).once('end', onEnd).once('close', onClose);
  });
}

/** The judged part of a request that is still coming in. */
class RequestBody extends Readable {
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage) {
    super();
    this.#request = request;
  }

  override _read(): void {
    this.#request.resume();
  }
}
