import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

import { Refusal } from '../base/refusal.js';
import type { Gate, GateOutput } from '../soap/gate.js';
import type { InflateLimits } from '../soap/limits.js';
import { FairSource } from './fair-source.js';
import { Inflater } from './inflate.js';

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

/** What is done with a request's bytes besides judging them. */
export interface Intake {
  /** It comes as gzip, and is judged and sent on decoded, within these limits; null: it comes as it is. */
  readonly inflate: InflateLimits | null;
  /** A request longer than the window is collected up to so many bytes, so that its length is known; null: it flows. */
  readonly bufferBytes: number | null;
}

/**
 * Reads a request through the gate. Resolves when it is judged whole, or when it begins to flow. Rejects with the
 * refusal before that; after that the refusal destroys the body, which ends the upstream request before its end.
 */
export function receive(
  request: IncomingMessage,
  { inflate, bufferBytes }: Intake,
  makeGate: (output: GateOutput) => Gate,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    // Made for long messages only: a stream costs more than judging a short message does.
    let body: RequestBody | null = null;
    let collected: Collected | null = null;
    const source = new FairSource(request);
    const gate = makeGate({
      whole: (message) => resolve({ kind: 'whole', message }),
      begin(growthBytes) {
        if (bufferBytes !== null) {
          collected = new Collected(bufferBytes);
          return;
        }
        body = new RequestBody(inflater ?? source, leave);
        resolve({ kind: 'flowing', body, growthBytes });
      },
      data(chunk) {
        if (collected !== null) collected.add(chunk);
        else if (body?.push(chunk) === false) (inflater ?? source).pause();
      },
      end() {
        if (collected !== null) resolve({ kind: 'whole', message: collected.message() });
        else body?.push(null);
      },
    });
    const leave = (): void => {
      request.off('data', onBytes).off('end', onLast).off('error', onError);
      inflater?.destroy();
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
    // Told by the server: what is wrong with the rest of the request; else the caller has left.
    const onError = (error: Error): void => stop(error instanceof Refusal ? error : new Refusal('CLIENT_GONE'));
    const inflater = inflate === null ? null : inflateFor(source, inflate, onData, onEnd, stop);
    const onBytes = (chunk: Buffer): void => {
      if (inflater === null) onData(chunk);
      else inflater.write(chunk);
      source.took(chunk.length);
    };
    const onLast = inflater === null ? onEnd : () => inflater.end();
    request.on('data', onBytes).once('end', onLast).once('error', onError);
  });
}

/** Decodes a request; the caller waits while its bytes do. */
function inflateFor(
  source: FairSource,
  limits: InflateLimits,
  data: (chunk: Buffer) => void,
  end: () => void,
  failed: (refusal: Refusal) => void,
): Inflater {
  return new Inflater(limits, { data, end, failed, enough: () => source.pause(), more: () => source.resume() });
}

/** A request that is sent on in one piece: some stacks refuse what has no Content-Length. */
class Collected {
  readonly #bytesMax: number;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Throws `HTTP_TOO_LARGE`. */
  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#bytesMax) throw new Refusal('HTTP_TOO_LARGE', 'collected');
    this.#chunks.push(chunk);
  }

  message(): Buffer {
    return Buffer.concat(this.#chunks, this.#bytes);
  }
}

/** The judged part of a request that is still coming in. */
class RequestBody extends Readable {
  readonly #source: FairSource | Inflater;

  /** `leave` is called when nobody wants any more of it. */
  constructor(source: FairSource | Inflater, leave: () => void) {
    super();
    this.#source = source;
    this.once('close', leave);
    // The refusal that destroys it is told to the upstream call, which ends with it; nobody else listens here.
    this.once('error', () => {});
  }

  override _read(): void {
    this.#source.resume();
  }
}
