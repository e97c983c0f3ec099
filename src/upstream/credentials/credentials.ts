import type { observing } from '../../core/index.js';
import type { ReplyHead } from '../reply.js';

/** Header fields, names in lower case and values in turn. */
export type Fields = readonly string[];

/** A call that is about to be made. */
export interface CallToAuthorize {
  readonly method: 'GET' | 'POST';
  /** Path and query of the request. */
  readonly target: string;
  /** The name of the operation; '' where it is not known. */
  readonly operation: string;
  /** The body is sent while it comes in: the call cannot be repeated with other credentials. */
  readonly isUpload: boolean;
  /** The call was answered with status 401, and is about to be repeated; null the first time. */
  readonly refused: { readonly head: ReplyHead; readonly fields: Fields } | null;
  /** The request that the call is made for; null where it is not observed. */
  readonly observer: observing.RequestObserver | null;
  /**
   * Sends the call without its body, for the challenge of the service. Rejects with a `Refusal`.
   */
  readonly probe: () => Promise<ReplyHead>;
}

/**
 * Credentials of the gateway for one service. Made once for a service; values never leave in errors
 * or logs.
 */
export interface Credentials {
  /**
   * The header fields for a call; a promise while they are obtained. Throws, or rejects with, a
   * `Refusal`: `UPSTREAM_AUTH` where they were refused and there are no others.
   */
  fields(call: CallToAuthorize): Fields | Promise<Fields>;
  /** Whether others are obtained after the backend refused these. Absent: they are. */
  canRenew?(refused: Fields, operation: string, head?: ReplyHead): boolean;
  /** The backend accepted these; `isRepeated`: after it had refused others for the same call. */
  accepted?(fields: Fields, operation: string, isRepeated: boolean, head?: ReplyHead): void;
  /** Ends what it holds, such as a login session. */
  close?(): Promise<void>;
}

/** Lends the credentials to another upstream, which does not end what they hold. */
export const lend = (credentials: Credentials | null): Credentials | null =>
  credentials === null
    ? null
    : {
        fields: (call) => credentials.fields(call),
        canRenew: (refused, operation, head) =>
          credentials.canRenew?.(refused, operation, head) ?? true,
        accepted: (fields, operation, isRepeated, head) =>
          credentials.accepted?.(fields, operation, isRepeated, head),
      };

/** These header fields, without those of the same names in `headers`. */
export function withFields(headers: readonly string[], fields: Fields): string[] {
  const merged: string[] = [...fields];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] ?? '';
    if (!hasName(fields, name)) {
      merged.push(name, headers[index + 1] ?? '');
    }
  }
  return merged;
}

function hasName(fields: Fields, name: string): boolean {
  for (let index = 0; index < fields.length; index += 2) {
    if (fields[index] === name) return true;
  }
  return false;
}
