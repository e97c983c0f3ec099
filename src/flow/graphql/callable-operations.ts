import { Buffer } from 'node:buffer';
import type { Client } from '../../access/client.js';
import { collections, type Steps } from '../../core/index.js';
import type { DescribedOperation } from '../../graphql/index.js';
import type { GraphqlEndpoint } from './endpoint.js';
import { mayCall } from './may-call.js';

/** The operations that a client may call: one object for all clients that may call the same. */
export interface CallableSet {
  /** Different for different sets of one table. */
  readonly key: string;
  readonly operations: ReadonlySet<DescribedOperation>;
}

/** Sets that are kept. Classes and scopes make them: a configuration has few. */
const SETS_MAX = 256;

/** Operations that are checked without a pause. */
const CHECKED_TOGETHER = 100;

/** The sets of operations that clients may call, of one generation. */
export class CallableOperations {
  readonly #endpoint: Pick<GraphqlEndpoint, 'services' | 'rights'>;
  readonly #all: readonly DescribedOperation[];
  readonly #byKey = new collections.BoundedCache<CallableSet>({ size: SETS_MAX, sizeOf: () => 1 });
  readonly #byClient = new WeakMap<Client, CallableSet>();

  constructor(
    endpoint: Pick<GraphqlEndpoint, 'services' | 'rights'>,
    all: Iterable<DescribedOperation>,
  ) {
    this.#endpoint = endpoint;
    this.#all = [...new Set(all)];
  }

  *of(client: Client): Steps<CallableSet> {
    const known = this.#byClient.get(client) ?? (yield* this.#make(client));
    this.#byClient.set(client, known);
    return known;
  }

  *#make(client: Client): Steps<CallableSet> {
    const bits = Buffer.alloc(Math.ceil(this.#all.length / 8));
    for (const [at, each] of this.#all.entries()) {
      if (mayCall(this.#endpoint, client, each)) {
        bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7));
      }
      if (at % CHECKED_TOGETHER === 0) {
        yield;
      }
    }
    const key = bits.toString('base64url');
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const operations = new Set(
      this.#all.filter((_each, at) => ((bits[at >> 3] ?? 0) & (1 << (at & 7))) !== 0),
    );
    const made = { key, operations };
    this.#byKey.set(key, made);
    return made;
  }
}
