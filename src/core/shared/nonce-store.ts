/** A nonce, as it is remembered. */
export interface Nonce {
  /** The key is equal for all base64 texts of the same bytes. */
  readonly key: string;
  /**
   * Keys of the nonces that lenient decoders read it as: if one of them was seen, so was this one.
   * A few at most.
   */
  readonly equivalentKeys: readonly string[];
}

/** A nonce with the time for which it is remembered. */
export interface NonceClaim {
  readonly nonce: Nonce;
  readonly keptMillis: number;
}

/** Remembers nonces for several processes. */
export interface NonceStore {
  /**
   * Remembers a nonce of a service, and returns whether it is new; `unknown` where the store does
   * not answer. Never rejects, and takes no longer than a request may wait.
   */
  claim(service: string, nonce: Nonce, keptMillis: number): Promise<'new' | 'seen' | 'unknown'>;
}
