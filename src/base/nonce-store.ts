/** A nonce, as it is remembered. */
export interface Nonce {
  /** The same for all that say the same bytes in base64. */
  readonly key: string;
  /** Keys of what it may be taken for: if one of them came before, this one has. A few at most. */
  readonly equivalentKeys: readonly string[];
}

/** Where processes that share nonces remember them. */
export interface NonceStore {
  /**
   * Remembers a nonce of a service: whether nobody had brought it before, or that nobody can say. Never rejects, and
   * takes no longer than a request may wait.
   */
  claim(service: string, nonce: Nonce, keptMillis: number): Promise<'new' | 'seen' | 'unknown'>;
}
