import type { observing } from '../../core/index.js';

/** Tokens that all calls of a service share: of a login session, or of an authorization server. */
export interface TokenSource {
  /**
   * The token for a call, made for a request that is observed or not. Throws, or rejects with, a
   * `Refusal`.
   */
  token(request?: observing.RequestObserver | null): string | Promise<string>;
  /**
   * Whether there is another token after the backend has refused one for an operation, or one is
   * made.
   */
  canRenew(refused: string, operation: string): boolean;
  /**
   * The token after the backend has refused one for an operation. Other calls may have renewed it.
   */
  renew(
    refused: string,
    operation: string,
    request?: observing.RequestObserver | null,
  ): string | Promise<string>;
  /**
   * The backend has accepted a token for an operation; `isRepeated`: after it had refused another
   * for the same call.
   */
  accepted(token: string, operation: string, isRepeated: boolean): void;
  close(): Promise<void>;
}
