import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { defaultsOf, Refusal } from '../../core/index.js';
import { documentRefusal } from '../errors.js';
import type { GraphqlParams } from './admit.js';
import type { PersistedStore } from './document-cache.js';
import type { DocumentName, RawParams } from './params.js';
import { PERSISTED_LIMITS, type PersistedLimits } from './persisted-limits.js';
import type { TrustedDocuments } from './trusted-documents.js';

/** The parameters of a request with the text of its document. */
export interface ResolvedParams extends GraphqlParams {
  /** The hash to register its text with, once it is admitted; null for none. */
  readonly registers: string | null;
}

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Finds documents that requests only name: trusted ones by their id, and those that clients have
 * registered (Apollo's automatic persisted queries) in a `store`.
 */
export class PersistedDocuments {
  readonly #trusted: TrustedDocuments | null;
  readonly #store: PersistedStore | null;
  readonly #limits: PersistedLimits;

  constructor(
    trusted: TrustedDocuments | null,
    store: PersistedStore | null,
    limits: PersistedLimits,
  ) {
    this.#trusted = trusted;
    this.#store = store;
    this.#limits = limits;
  }

  /**
   * Rejects with `PERSISTED_QUERY_NOT_FOUND`, `PERSISTED_QUERY_NOT_SUPPORTED`,
   * `PERSISTED_QUERY_HASH_MISMATCH` or `BAD_REQUEST`.
   */
  resolve(params: RawParams): ResolvedParams | Promise<ResolvedParams> {
    const { query, document, operationName, variables } = params;
    if (document !== null) return this.#find(params, document);
    return { query: query ?? '', operationName, variables, registers: null };
  }

  async #find(
    { query, operationName, variables }: RawParams,
    { id, isHash }: DocumentName,
  ): Promise<ResolvedParams> {
    const found = (text: string, registers: string | null = null): ResolvedParams => ({
      query: text,
      operationName,
      variables,
      registers,
    });
    const trusted = this.#trusted?.textOf(id) ?? null;
    if (trusted !== null) {
      if (query !== null && query !== trusted) throw new Refusal('PERSISTED_QUERY_HASH_MISMATCH');
      return found(trusted);
    }
    if (query !== null) return found(query, this.#checkHash(id, query));
    if (!isHash || this.#store === null) throw this.#unknown();
    if (!HASH.test(id)) {
      throw new Refusal('BAD_REQUEST', 'The sha256Hash has 64 hexadecimal digits in lower case.');
    }
    const known = await this.#store.get(id);
    if (known === null) throw this.#unknown();
    return found(known);
  }

  /**
   * Registers the text of an admitted document. `pay` charges the client and returns whether it
   * could pay; it is not called for a registered text.
   */
  register({ query, registers }: ResolvedParams, pay: (points: number) => boolean): void {
    const store = this.#store;
    if (registers === null || store === null) return;
    const register = async (): Promise<void> => {
      if ((await store.get(registers)) !== null) return;
      if (pay(this.#limits.registrationCost)) {
        await store.set(registers, query);
      }
    };
    // No request waits for it, and a text that is not stored will be sent again.
    register().catch(() => {});
  }

  /** The hash to register the text with; null without a store, and for a text that is too long. */
  #checkHash(hash: string, query: string): string | null {
    if (hashOf(query) !== hash) throw new Refusal('PERSISTED_QUERY_HASH_MISMATCH');
    return this.#store === null || Buffer.byteLength(query) > this.#limits.textBytes ? null : hash;
  }

  /** Clients compare the message, and older ones nothing else. */
  #unknown(): Refusal {
    if (this.#store !== null || this.#trusted !== null) {
      return documentRefusal('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
    }
    return documentRefusal('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported');
  }
}

/** Resolves no names of documents. */
export const NOTHING_PERSISTED = new PersistedDocuments(null, null, defaultsOf(PERSISTED_LIMITS));

const HASH = /^[0-9a-f]{64}$/;
