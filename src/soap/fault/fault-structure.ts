import type { StartTag } from '../../xml/index.js';

interface Content {
  /** Local names of the children, in order; a child that `repeats` may come again. */
  readonly children: readonly string[];
  /** How many of these there must be. */
  readonly required: number;
  readonly repeats: boolean;
}

const CODE: Content = { children: ['Value', 'Subcode'], required: 1, repeats: false };
const CONTENTS: ReadonlyMap<string, Content> = new Map([
  [
    'Fault',
    { children: ['Code', 'Reason', 'Node', 'Role', 'Detail'], required: 2, repeats: false },
  ],
  ['Code', CODE],
  ['Subcode', CODE],
  ['Reason', { children: ['Text'], required: 1, repeats: true }],
]);
const NO_CHILDREN: Content = { children: [], required: 0, repeats: false };

/** The values of the outermost `Code`: SOAP 1.2 part 1 section 5.4.6. */
const CODES: ReadonlySet<string> = new Set([
  'DataEncodingUnknown',
  'MustUnderstand',
  'Receiver',
  'Sender',
  'VersionMismatch',
]);

/**
 * Checks a Fault against SOAP 1.2 part 1 section 5.4: which elements, in which order, and the value
 * of its `Code`.
 */
export class FaultStructure {
  isValid = true;
  readonly #uri: string;
  /** The elements open, `Fault` first, with the index of the child that may come next. */
  readonly #open: { readonly content: Content; next: number }[] = [];

  constructor(envelopeUri: string) {
    this.#uri = envelopeUri;
  }

  /** `Fault`, or an element within it; of its detail only that itself. */
  open(tag: StartTag): void {
    const parent = this.#open.at(-1);
    if (parent !== undefined) {
      const { children, required, repeats } = parent.content;
      const index = tag.uri === this.#uri ? children.indexOf(tag.local) : -1;
      if (index < (repeats ? 0 : parent.next) || Math.min(index, required) > parent.next) {
        this.isValid = false;
      }
      parent.next = index + 1;
    }
    this.#open.push({ content: CONTENTS.get(tag.local) ?? NO_CHILDREN, next: 0 });
  }

  close(): void {
    const last = this.#open.pop();
    if (last !== undefined && last.next < last.content.required) {
      this.isValid = false;
    }
  }

  /** Whether this is the local name of an outermost code. */
  isCode(local: string): boolean {
    return CODES.has(local);
  }

  /**
   * Checks the outermost code; the namespace is null where its prefix is not bound, or not known.
   */
  checkCode(uri: string | null, local: string): void {
    if (uri !== this.#uri || !CODES.has(local)) {
      this.isValid = false;
    }
  }
}
