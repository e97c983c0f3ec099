import { Buffer } from 'node:buffer';
import { KIB, refuseByLimit, type Steps } from '../../core/index.js';
import { mime } from '../../soap/index.js';
import { invalidSecurity } from '../security-refusals.js';
import { XENC } from '../wsse-names.js';
import { readContent } from './content-refusals.js';
import type { DecryptionOptions } from './decryption-options.js';
import type { ContentKey } from './encrypted-content.js';
import { includeParts } from './included-parts.js';
import { MessageDecryption } from './message-decryption.js';

/** Bytes that are read in one step: they take less than a time slice. */
const STEP_BYTES = 64 * KIB;

/** How a package is decrypted beside its envelope. */
export interface PackageDecryptionOptions extends DecryptionOptions {
  readonly type: mime.PackageType;
  readonly bounds: ConstructorParameters<typeof mime.PackageEditor>[2];
  /** The most bytes of a package with encrypted parts: it is collected whole. */
  readonly bufferBytes: number;
}

/**
 * `head`: it is not known whether anything is encrypted. `collecting`: the package is collected.
 * `working`: what was collected is decrypted in steps. `passing`: bytes go on as they are.
 */
type Stage = 'head' | 'collecting' | 'working' | 'passing';

/**
 * Decrypts a package of parts: its envelope, also where CipherValues are parts of the package
 * (XOP 1.0), and its attachments (SOAP with Attachments Profile 1.1 section 5.5). Keys stand in the
 * envelope, and what they open comes behind it, so a package is collected until its last part is
 * there. One that names no encryption in its head flows.
 */
export class PackageDecryption {
  readonly #options: PackageDecryptionOptions;
  #stage: Stage = 'head';
  #collected: Buffer[] = [];
  #bytes = 0;
  /** The last bytes, in which the end of the package may be cut. */
  #tail: Buffer = Buffer.alloc(0);
  #steps: Steps<void> | null = null;
  #envelope: MessageDecryption | null = null;
  /** All that was encrypted is decrypted, and its tags are right. */
  #isWhole = false;

  constructor(options: PackageDecryptionOptions) {
    this.#options = options;
  }

  /** Content of it was decrypted; it is verified once `isVerified`. */
  get isEncrypted(): boolean {
    return this.#envelope?.isEncrypted === true;
  }

  get isVerified(): boolean {
    const { verifier, rules } = this.#options;
    return this.#isWhole && (!rules.verifiesSignature || verifier?.isVerified !== false);
  }

  /** The key of the content of Body, in which an answer may be encrypted; null for none. */
  get bodyKey(): ContentKey | null {
    return this.#envelope?.bodyKey ?? null;
  }

  /** The keys that it needs, whether they can be opened or not. */
  get keyCount(): number {
    return this.#envelope?.keyCount ?? 0;
  }

  get hasWork(): boolean {
    return this.#stage === 'working';
  }

  /** Decrypts some of what was collected. */
  work(): void {
    if (this.#steps?.next().done === true) {
      this.#steps = null;
      this.#stage = 'passing';
    }
  }

  write(chunk: Buffer): void {
    if (this.#stage === 'passing') {
      this.#give(chunk);
      return;
    }
    this.#collected.push(chunk);
    this.#bytes += chunk.length;
    const { headBytes, bufferBytes } = this.#options;
    if (this.#stage === 'head' && this.#bytes >= headBytes) {
      this.#decide();
    }
    if (this.#stage !== 'collecting') return;
    if (this.#bytes > bufferBytes) {
      throw refuseByLimit('HTTP_TOO_LARGE', 'limits.soap.bufferBytes', bufferBytes);
    }
    if (this.#isClosedBy(chunk)) {
      this.#begin();
    }
  }

  end(): void {
    if (this.#stage === 'head') {
      this.#decide();
    }
    if (this.#stage === 'collecting') {
      this.#begin();
    }
    while (this.hasWork) {
      this.work();
    }
    readContent(this, () => this.#options.output.end());
  }

  /** What is encrypted needs a key in the head of the envelope, which is the first part. */
  #decide(): void {
    const head = Buffer.concat(this.#collected);
    this.#collected = [head];
    if (head.includes(XENC, 0, 'latin1')) {
      this.#stage = 'collecting';
      return;
    }
    if (this.#options.rules.isBodyRequired) {
      throw invalidSecurity('the content of Body is not encrypted');
    }
    this.#collected = [];
    this.#stage = 'passing';
    this.#give(head);
  }

  /** Whether the boundary behind the last part ends in this chunk. `end` finds what is missed. */
  #isClosedBy(chunk: Buffer): boolean {
    const last = `\n--${this.#options.type.boundary}--`;
    const bytes = Buffer.concat([this.#tail, chunk]);
    this.#tail = Buffer.from(bytes.subarray(-last.length));
    return bytes.includes(last, 0, 'latin1');
  }

  #begin(): void {
    this.#stage = 'working';
    this.#steps = this.#decrypt(Buffer.concat(this.#collected));
    this.#collected = [];
  }

  *#decrypt(bytes: Buffer): Steps<void> {
    const { type, bounds, readers } = this.#options;
    const parts = new mime.PackageEditor(bytes, type, bounds);
    const { charset } = parts;
    yield;
    const envelope = includeParts(parts.envelope, 'in CipherValue', readers, parts);
    yield;
    const opened: Buffer[] = [];
    const output = { write: (piece: Buffer) => void opened.push(piece), end: () => {} };
    const decryption = new MessageDecryption({
      ...this.#options,
      charset,
      output,
      attachments: parts,
    });
    this.#envelope = decryption;
    for (let at = 0; at < envelope.length; at += STEP_BYTES) {
      decryption.write(envelope.subarray(at, at + STEP_BYTES));
      yield;
    }
    decryption.end();
    this.#isWhole = true;
    const isPassed = !decryption.isEncrypted;
    for (const piece of isPassed ? [bytes] : this.#written(parts, Buffer.concat(opened))) {
      for (let at = 0; at < piece.length; at += STEP_BYTES) {
        this.#give(piece.subarray(at, at + STEP_BYTES));
        yield;
      }
    }
  }

  #written(parts: mime.PackageEditor, envelope: Buffer): readonly Buffer[] {
    let written: readonly Buffer[] = [];
    readContent(this, () => {
      written = parts.written(envelope);
    });
    return written;
  }

  #give(bytes: Buffer): void {
    readContent(this, () => this.#options.output.write(bytes));
  }
}
