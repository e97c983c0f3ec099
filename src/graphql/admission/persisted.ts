import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { defaultsOf } from '../../base/limit.js';
import { Refusal } from '../../base/refusal.js';
import type { RefusalCode } from '../../base/refusals.js';
import { codedError, DocumentRefusal } from '../errors.js';
import type { GraphqlParams } from './admit.js';
import type { PersistedStore } from './document-cache.js';
import type { RawParams } from './params.js';
import { PERSISTED_LIMITS, type PersistedLimits } from './persisted-limits.js';
import type { TrustedDocuments } from './trusted-documents.js';

/** What a request asks for, with the text of its document. */
export interface ResolvedParams extends GraphqlParams {
  /** The hash under which its text wants to be remembered once it is admitted; null where it does not. */
  readonly registers: string | null;
}

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Finds the documents that requests only name: trusted ones by their id, and those that callers had remembered (the
 * protocol of Apollo's automatic persisted queries) where there is a `store` for them.
 */
export class PersistedDocuments {
  readonly #trusted: TrustedDocuments | null;
  readonly #store: PersistedStore | null;
  readonly #limits: PersistedLimits;

  constructor(trusted: TrustedDocuments | null, store: PersistedStore | null, limits: PersistedLimits) {
    this.#trusted = trusted;
    this.#store = store;
    this.#limits = limits;
  }

  /**
   * Rejects with `PERSISTED_QUERY_NOT_FOUND`, `PERSISTED_QUERY_NOT_SUPPORTED`, `PERSISTED_QUERY_HASH_MISMATCH` or
   * `BAD_REQUEST`.
   */
  async resolve(given: RawParams): Promise<ResolvedParams> {
    const { query, document, operationName, variables } = given;
    const found = (text: string, registers: string | null = null): ResolvedParams => ({
      query: text,
      operationName,
      variables,
      registers,
    });
    if (document === null) return found(query ?? '');
    const { id, isHash } = document;
    const trusted = this.#trusted?.textOf(id) ?? null;
    if (trusted !== null) {
      if (query !== null && query !== trusted) throw new Refusal('PERSISTED_QUERY_HASH_MISMATCH');
      return found(trusted);
    }
    if (query !== null) return found(query, this.#checkHash(id, query));
    if (!isHash || this.#store === null) throw this.#unknown();
    if (!HASH.test(id)) throw new Refusal('BAD_REQUEST', 'The sha256Hash has 64 hexadecimal digits in lower case.');
    const known = await this.#store.get(id);
    if (known === null) throw this.#unknown();
    return found(known);
  }

  /**
   * Remembers the text of an admitted document. `pay` charges the client so many points, and says whether it could
   * pay: not asked for what is remembered already.
   */
  register({ query, registers }: ResolvedParams, pay: (points: number) => boolean): void {
    const store = this.#store;
    if (registers === null || store === null) return;
    const remember = async (): Promise<void> => {
      if ((await store.get(registers)) !== null) return;
      if (pay(this.#limits.registrationCost)) await store.set(registers, query);
    };
    // Nobody waits for it, and what could not be kept is sent again.
    remember().catch(() => {});
  }

  /** The hash to remember the text by; null where it is too long for that, or nothing is remembered. */
  #checkHash(hash: string, query: string): string | null {
    if (hashOf(query) !== hash) throw new Refusal('PERSISTED_QUERY_HASH_MISMATCH');
    return this.#store === null || Buffer.byteLength(query) > this.#limits.textBytes ? null : hash;
  }

  #unknown(): Refusal {
    if (this.#store !== null || this.#trusted !== null)
      return told('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
    return told('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported');
  }
}

/** Where documents cannot be named. */
export const NOTHING_PERSISTED = new PersistedDocuments(null, null, defaultsOf(PERSISTED_LIMITS));

const HASH = /^[0-9a-f]{64}$/;

/** Clients look for these very words, and the older ones for nothing else. */
const told = (code: RefusalCode, message: string): Refusal =>
  new DocumentRefusal(code, [codedError(code, {}, message)]);
