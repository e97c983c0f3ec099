import { mime } from '../soap/index.js';
import {
  type canonical,
  type InterestFilter,
  XML_NAMESPACE,
  type XmlHandler,
} from '../xml/index.js';
import { WSU } from './wsse-names.js';

type CanonicalContent = NonNullable<XmlHandler['canonicalContent']>;
export type SignedRun = Parameters<CanonicalContent['pass']>[0];

/** The namespaces of Ids: signatures refer to elements by them. */
const ID_NAMESPACES: ReadonlySet<string> = new Set([WSU, XML_NAMESPACE, '']);

/** The message around what is signed. */
export interface SignedContentOptions {
  readonly writer: canonical.CanonicalWriter;
  /** Passes events to the handler of the message, which skips the content. */
  readonly inner: InterestFilter;
  /** The depth of the element opened last. */
  readonly depth: () => number;
  readonly onPass: (run: SignedRun) => void;
}

/** Content of a signed element that is digested as it stands, while the handler skips it. */
export class SignedContent implements CanonicalContent {
  readonly #options: SignedContentOptions;
  /** What the handler watches, and that with the namespaces of Ids. */
  #innerWatched: ReadonlySet<string> | undefined;
  #watched = ID_NAMESPACES;

  constructor(options: SignedContentOptions) {
    this.#options = options;
  }

  /** The handler is told the end of what it skips, and the writer that of declarations. */
  get floor(): number {
    const { writer, inner, depth } = this.#options;
    return depth() + Math.max(writer.declaredDepth - writer.depth, 1 - inner.skipped);
  }

  get watched(): ReadonlySet<string> {
    const { watched } = this.#options.inner;
    if (watched !== this.#innerWatched) {
      this.#innerWatched = watched;
      this.#watched = new Set([...ID_NAMESPACES, ...(watched ?? [])]);
    }
    return this.#watched;
  }

  get version(): number {
    return this.#options.writer.version;
  }

  /** An Include of XOP stands for other bytes. */
  isWritten(prefix: string, uri: string): boolean {
    return uri !== mime.XOP_URI && this.#options.writer.isWritten(prefix, uri);
  }

  pass(run: SignedRun): void {
    this.#options.onPass(run);
  }
}
