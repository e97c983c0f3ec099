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
  intake: Intake,
  makeGate: (output: GateOutput) => Gate,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const receiving = new Receiving(request, intake, resolve, reject);
    receiving.start(makeGate(receiving));
  });
}

/** One request on its way through the gate in. */
class Receiving implements GateOutput {
  readonly #request: IncomingMessage;
  readonly #source: FairSource;
  readonly #bufferBytes: number | null;
  readonly #inflater: Inflater | null;
  readonly #resolve: (received: Received) => void;
  readonly #reject: (caught: unknown) => void;
  #gate: Gate | null = null;
  /** Made for long messages only: a stream costs more than judging a short message does. */
  #body: RequestBody | null = null;
  #collected: Collected | null = null;

  constructor(
    request: IncomingMessage,
    { inflate, bufferBytes }: Intake,
    resolve: (received: Received) => void,
    reject: (caught: unknown) => void,
  ) {
    this.#request = request;
    this.#source = new FairSource(request);
    this.#bufferBytes = bufferBytes;
    this.#inflater = inflate === null ? null : this.#inflate(inflate);
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(gate: Gate): void {
    this.#gate = gate;
    this.#request.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onError);
  }

  whole(message: Buffer): void {
    this.#resolve({ kind: 'whole', message });
  }

  begin(growthBytes: number): void {
    if (this.#bufferBytes !== null) {
      this.#collected = new Collected(this.#bufferBytes);
      return;
    }
    this.#body = new RequestBody(this.#inflater ?? this.#source, () => this.#leave());
    this.#resolve({ kind: 'flowing', body: this.#body, growthBytes });
  }

  data(chunk: Buffer): void {
    if (this.#collected !== null) this.#collected.add(chunk);
    else if (this.#body?.push(chunk) === false) (this.#inflater ?? this.#source).pause();
  }

  end(): void {
    if (this.#collected !== null) this.#resolve({ kind: 'whole', message: this.#collected.message() });
    else this.#body?.push(null);
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#inflater === null) this.#take(chunk);
    else this.#inflater.write(chunk);
    this.#source.took(chunk.length);
  };

  readonly #onEnd = (): void => {
    if (this.#inflater === null) this.#finish();
    else this.#inflater.end();
  };

  /** Told by the server: what is wrong with the rest of the request; else the caller has left. */
  readonly #onError = (error: Error): void => {
    this.#stop(error instanceof Refusal ? error : new Refusal('CLIENT_GONE'));
  };

  #take(chunk: Buffer): void {
    try {
      this.#gate?.write(chunk);
    } catch (caught) {
      this.#stop(caught);
    }
  }

  #finish(): void {
    try {
      this.#gate?.end();
    } catch (caught) {
      this.#stop(caught);
    }
  }

  #stop(caught: unknown): void {
    this.#leave();
    // Whoever waits for the head hears it here, whoever has the body hears it there.
    this.#reject(caught);
    this.#body?.destroy(caught instanceof Error ? caught : new Error('stopped'));
  }

  #leave(): void {
    this.#request.off('data', this.#onData).off('end', this.#onEnd).off('error', this.#onError);
    this.#inflater?.destroy();
  }

  /** Decodes the request; the caller waits while its bytes do. */
  #inflate(limits: InflateLimits): Inflater {
    return new Inflater(limits, {
      data: (chunk) => this.#take(chunk),
      end: () => this.#finish(),
      failed: (refusal) => this.#stop(refusal),
      enough: () => this.#source.pause(),
      more: () => this.#source.resume(),
    });
  }
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
