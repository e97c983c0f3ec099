import { Buffer } from 'node:buffer';

/** Repairs one document as its bytes come in. */
export interface DocumentRepair {
  write(chunk: Buffer): Buffer;
  end(): Buffer;
}

/** The most bytes of the header of a part that are looked into. */
const HEADER_BYTES = 16_384;

/**
 * The section that the next byte belongs to: before a part, to its header, to the envelope, or to
 * another part.
 */
type Section = 'preamble' | 'header' | 'envelope' | 'rest';

/**
 * Repairs the envelope in a package of parts (RFC 2387) as its bytes come in; the other parts stay
 * as they are. The envelope is the first part, or the one that `start` names. Holds the header of a
 * part, or the length of a boundary.
 */
export class PackageRepair implements DocumentRepair {
  readonly #delimiter: Buffer;
  readonly #start: string | null;
  readonly #open: (charset: string | null) => DocumentRepair;
  readonly #charsetOf: (contentType: string | null) => string | null;
  #document: DocumentRepair | null = null;
  #section: Section = 'preamble';
  #held: Buffer = Buffer.from('\r\n');
  /** The line end that `#held` begins with is not of the package. */
  #isPadded = true;

  constructor(
    { boundary, start }: { readonly boundary: string; readonly start: string | null },
    charsetOf: (contentType: string | null) => string | null,
    open: (charset: string | null) => DocumentRepair,
  ) {
    this.#delimiter = Buffer.from(`\n--${boundary}`, 'latin1');
    this.#start = start;
    this.#charsetOf = charsetOf;
    this.#open = open;
  }

  write(chunk: Buffer): Buffer {
    if (this.#section === 'rest') return chunk;
    this.#held = Buffer.concat([this.#held, chunk]);
    const out: Buffer[] = [];
    while (this.#step(out));
    return this.#joined(out);
  }

  end(): Buffer {
    const out: Buffer[] = [];
    const held = this.#held;
    this.#held = NOTHING;
    if (this.#section === 'envelope' && this.#document !== null) {
      out.push(this.#document.write(held), this.#document.end());
    } else {
      out.push(held);
    }
    return this.#joined(out);
  }

  /** Without the line end that stands for the beginning of the package. */
  #joined(out: readonly Buffer[]): Buffer {
    const bytes = Buffer.concat(out);
    if (!this.#isPadded || bytes.length < 2) return bytes;
    this.#isPadded = false;
    return bytes.subarray(2);
  }

  /** One step on; false where more bytes are needed. */
  #step(out: Buffer[]): boolean {
    switch (this.#section) {
      case 'preamble':
        return this.#findBoundary(out);
      case 'header':
        return this.#readHeader(out);
      case 'envelope':
        return this.#readEnvelope(out);
      case 'rest':
        out.push(this.#held);
        this.#held = NOTHING;
        return false;
    }
  }

  #findBoundary(out: Buffer[]): boolean {
    const at = this.#held.indexOf(this.#delimiter);
    if (at >= 0) {
      this.#pass(out, at + this.#delimiter.length);
      this.#section = 'header';
      return true;
    }
    this.#pass(out, this.#held.length - this.#delimiter.length);
    return false;
  }

  #readHeader(out: Buffer[]): boolean {
    const end = endOfHeader(this.#held);
    if (end < 0) {
      if (this.#held.length <= HEADER_BYTES) return false;
      this.#section = 'rest';
      return true;
    }
    const head = this.#held.toString('latin1', 0, end);
    this.#pass(out, end);
    const id = fieldOf(head, 'content-id')?.replace(/^<(.*)>$/, '$1') ?? null;
    if (this.#start !== null && id !== this.#start) {
      this.#section = 'preamble';
      return true;
    }
    this.#section = 'envelope';
    this.#document = this.#open(this.#charsetOf(fieldOf(head, 'content-type')));
    return true;
  }

  #readEnvelope(out: Buffer[]): boolean {
    const document = this.#document;
    if (document === null) return false;
    let at = this.#held.indexOf(this.#delimiter);
    if (at < 0) {
      // A CR before the delimiter is of the line end.
      const known = this.#held.length - this.#delimiter.length - 1;
      if (known > 0) {
        out.push(document.write(this.#held.subarray(0, known)));
        this.#held = this.#held.subarray(known);
      }
      return false;
    }
    if (this.#held[at - 1] === 0x0d) {
      at--;
    }
    out.push(document.write(this.#held.subarray(0, at)), document.end());
    this.#held = this.#held.subarray(at);
    this.#section = 'rest';
    return true;
  }

  #pass(out: Buffer[], bytes: number): void {
    if (bytes <= 0) return;
    out.push(this.#held.subarray(0, bytes));
    this.#held = this.#held.subarray(bytes);
  }
}

const NOTHING: Buffer = Buffer.alloc(0);

/** The offset behind the empty line that ends a header; -1 while it has not come. */
function endOfHeader(bytes: Buffer): number {
  const found = /\r?\n\r?\n/.exec(bytes.toString('latin1', 0, HEADER_BYTES + 4));
  return found === null ? -1 : found.index + found[0].length;
}

/** The value of the first field of this name, folded lines joined. */
function fieldOf(head: string, name: string): string | null {
  const lines = head.replaceAll(/\r?\n[ \t]+/g, ' ').split(/\r?\n/);
  const line = lines.find((each) => each.toLowerCase().startsWith(`${name}:`));
  return line === undefined ? null : line.slice(name.length + 1).trim();
}
