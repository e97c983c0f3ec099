/** Where processes that share nonces remember them. */
export interface NonceStore {
  /**
   * Remembers a nonce of a service: whether nobody had brought it before, or that nobody can say. Never rejects, and
   * takes no longer than a request may wait.
   */
  claim(service: string, nonce: string, keptMillis: number): Promise<'new' | 'seen' | 'unknown'>;
}
