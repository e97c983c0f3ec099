import type { xsd } from '../../wsdl/index.js';

/** Maximum steps of a path: each is a bit. */
const STEPS_MAX = 30;

/**
 * Follows one path of the XPath subset of XSD 1.0 part 1 section 3.11.6 down the elements that are
 * open: for each a set of bits, of which bit `n` means that the last `n` elements match the first
 * `n` steps.
 */
export class PathMatcher {
  readonly #path: xsd.IdentityPath;
  /** The bits of each open element, by its depth below the one where the path begins. */
  readonly #bits: number[];

  /** It begins at the element opened last. */
  constructor(path: xsd.IdentityPath) {
    this.#path = path;
    this.#bits = [1];
  }

  /** Whether it ends where it begins. */
  get matchesStart(): boolean {
    return this.#path.steps.length === 0;
  }

  /**
   * An element begins, so deep below the one where the path begins. Whether the path ends in it.
   */
  open(below: number, uri: string, local: string): boolean {
    const { steps, descendant } = this.#path;
    const above = this.#bits[below - 1] ?? 0;
    let bits = descendant ? 1 : 0;
    if (above !== 0 && steps.length <= STEPS_MAX) {
      for (let step = 0; step < steps.length; step++) {
        const test = steps[step];
        if (
          (above & (1 << step)) !== 0 &&
          test !== undefined &&
          matchesNameTest(test, uri, local)
        ) {
          bits |= 2 << step;
        }
      }
    }
    this.#bits[below] = bits;
    return (bits & (1 << steps.length)) !== 0;
  }
}

export const matchesNameTest = (test: xsd.NameTest, uri: string, local: string): boolean =>
  (test.local === null || test.local === local) && (test.uri === null || test.uri === uri);
