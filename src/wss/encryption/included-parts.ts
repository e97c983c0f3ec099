import { Buffer } from 'node:buffer';
import {
  ELEMENTS_ONLY,
  type Interest,
  type ReaderPool,
  type StartTag,
  type XmlHandler,
} from '../../xml/index.js';
import { isXopInclude } from '../included-content.js';
import { invalidSecurity, unsupportedAlgorithm } from '../security-refusals.js';
import { XENC } from '../wsse-names.js';
import { edited, type HeadEdit } from './head-edits.js';

/** An Include of an envelope, by its offsets. */
interface PlacedInclude {
  readonly url: string;
  readonly startBytes: number;
  endBytes: number;
}

/** The package of an envelope. */
interface IncludedParts {
  readonly charset: string | null;
  /** The content of the part that a URL names; null for none, and for one that is encoded. */
  contentOf(url: string): Buffer | null;
  remove(url: string): void;
}

/**
 * The envelope with the base64 of a part in place of each Include, or of those in a CipherValue
 * (XOP 1.0 section 3.2), as it was before the message became a package. These parts are removed.
 * Throws `wsse:InvalidSecurity`, `wsse:UnsupportedAlgorithm`, and what is wrong with the envelope
 * as XML.
 */
export function includeParts(
  envelope: Buffer,
  where: 'anywhere' | 'in CipherValue',
  readers: Pick<ReaderPool, 'take' | 'give'>,
  parts: IncludedParts,
): Buffer {
  const finder = new IncludeFinder(where === 'in CipherValue');
  const reader = readers.take(finder, parts.charset);
  reader.write(envelope);
  reader.end();
  const { encoding } = reader;
  readers.give(reader);
  const { found } = finder;
  if (found.length === 0) return envelope;
  if (encoding !== 'utf-8' && encoding !== 'us-ascii') {
    throw unsupportedAlgorithm('included parts of a message that is not UTF-8');
  }
  const urls = new Set(found.map(({ url }) => url));
  if (urls.size < found.length) throw invalidSecurity('a part that is included twice');
  const edits = found.map(({ url, startBytes, endBytes }): HeadEdit => {
    const content = parts.contentOf(url);
    if (content === null) {
      throw invalidSecurity('an included part that is missing, or has a transfer encoding');
    }
    const bytes = Buffer.from(content.toString('base64'), 'latin1');
    return { at: startBytes, end: endBytes, bytes };
  });
  for (const url of urls) {
    parts.remove(url);
  }
  return edited(envelope, edits);
}

/** Finds the Includes of an envelope. */
class IncludeFinder implements XmlHandler {
  readonly found: PlacedInclude[] = [];
  readonly #isOfCiphers: boolean;
  #depth = 0;
  /** The depth of the CipherValue that is open; 0: none. */
  #valueDepth = 0;
  /** The Include that is open; null outside. */
  #open: PlacedInclude | null = null;

  constructor(isOfCiphers: boolean) {
    this.#isOfCiphers = isOfCiphers;
  }

  open(tag: StartTag): Interest {
    this.#depth++;
    const isWanted = !this.#isOfCiphers || this.#valueDepth > 0;
    if (isWanted && isXopInclude(tag)) {
      this.#openInclude(tag.attribute('', 'href') ?? '', tag.offsetBytes);
    } else if (this.#valueDepth === 0 && tag.uri === XENC && tag.local === 'CipherValue') {
      this.#valueDepth = this.#depth;
    }
    return ELEMENTS_ONLY;
  }

  close(_contentEndBytes: number, endBytes: number): void {
    if (this.#depth === this.#valueDepth) {
      this.#valueDepth = 0;
    } else if (this.#open !== null) {
      this.#open.endBytes = endBytes;
      this.#open = null;
    }
    this.#depth--;
  }

  text(): void {}

  #openInclude(url: string, startBytes: number): void {
    if (this.#open !== null) throw invalidSecurity('an Include in an Include');
    this.#open = { url, startBytes, endBytes: startBytes };
    this.found.push(this.#open);
  }
}
