import type { Buffer } from 'node:buffer';
import { createHash, type Hash, timingSafeEqual } from 'node:crypto';

import { Refusal } from '../core/index.js';
import type { mime } from '../soap/index.js';
import { failedCheck, invalidSecurity, unsupportedAlgorithm } from './security-refusals.js';
import type { AttachmentReference } from './signature-form.js';

/** Transfer encodings in which a part is the bytes that are signed. */
const PLAIN: ReadonlySet<string> = new Set(['7bit', '8bit', 'binary']);

/** What a signature says of the attachments of a message. */
export interface AttachmentRules {
  /** References of all signatures: each must be right. */
  readonly references: readonly AttachmentReference[];
  /**
   * Content-IDs that the signature which counts covers; null where attachments need no signature.
   */
  readonly covered: ReadonlySet<string> | null;
}

/**
 * Compares the digests of attachments as they come by, behind the envelope (SOAP Messages with
 * Attachments Profile 1.1 section 5.4: their content, of types that are neither text nor XML, which
 * have a canonical form).
 */
export class SignedAttachments implements mime.AttachmentSink {
  #rules: AttachmentRules | null = null;
  readonly #seen = new Set<string>();
  readonly #included = new Set<string>();
  #open: { readonly hash: Hash; readonly reference: AttachmentReference }[] = [];

  /** The envelope is verified as far as attachments are concerned. */
  expect(rules: AttachmentRules): void {
    this.#rules = rules;
  }

  /** The part is in Body, by an Include, and so the signature of Body covers it. */
  cover(id: string): void {
    this.#included.add(id);
  }

  /** Throws `wsse:InvalidSecurity`, `wsse:UnsupportedAlgorithm`, `WSSE_DUPLICATE_ID`. */
  begin(id: string | null, transferEncoding: string, mediaType: string | null): boolean {
    this.#finishPart();
    const { references = [], covered = null } = this.#rules ?? {};
    if (covered !== null && (id === null || !(covered.has(id) || this.#included.has(id)))) {
      throw invalidSecurity('an attachment is not signed');
    }
    if (id === null) return false;
    const own = references.filter((reference) => reference.id === id);
    if (own.length === 0) return false;
    if (this.#seen.has(id)) throw new Refusal('WSSE_DUPLICATE_ID', 'attachments');
    this.#seen.add(id);
    const isRaw =
      mediaType !== null && !mediaType.startsWith('text/') && !/[/+]xml$/.test(mediaType);
    if (!isRaw || !PLAIN.has(transferEncoding)) {
      throw unsupportedAlgorithm('a signed attachment of text or XML, or that is encoded');
    }
    this.#open = own.map((reference) => ({ hash: createHash(reference.digest), reference }));
    return true;
  }

  data(piece: Buffer): void {
    for (const { hash } of this.#open) {
      hash.update(piece);
    }
  }

  /** The package is over. Throws `wsse:FailedCheck`, `wsse:InvalidSecurity`. */
  end(): void {
    this.#finishPart();
    if (this.#rules?.references.some(({ id }) => !this.#seen.has(id)) === true) {
      throw invalidSecurity('an attachment that is signed is missing');
    }
  }

  #finishPart(): void {
    for (const { hash, reference } of this.#open) {
      const digest = hash.digest();
      if (digest.length !== reference.value.length || !timingSafeEqual(digest, reference.value)) {
        throw failedCheck('the digest of an attachment');
      }
    }
    this.#open = [];
  }
}
