import type { SimpleType, xsd } from '../../wsdl/index.js';
import type { StartTag } from '../../xml/index.js';
import { matchesNameTest, PathMatcher } from './identity-path.js';

/** An open element that a selector found, with the values of its fields. */
export interface Selected {
  readonly scope: ConstraintScope;
  readonly depth: number;
  readonly values: (string | null)[];
  /** A field occurs more than once. */
  isRepeated: boolean;
  readonly fields: readonly (readonly FieldPath[])[];
}

interface FieldPath {
  readonly path: xsd.IdentityPath;
  readonly matcher: PathMatcher;
}

/** An attribute that an element has, or that its type gives it. */
export interface IdentityAttribute {
  readonly uri: string;
  readonly local: string;
  readonly value: string;
  /** Null where it is not declared. */
  readonly type: SimpleType | null;
}

/** A field whose value is the text of the element opened last, or one of its attributes. */
export interface FieldHit {
  readonly selected: Selected;
  readonly field: number;
  /** Null for the text of the element. */
  readonly attribute: IdentityAttribute | null;
}

/** One identity constraint within one element that has it. */
export class ConstraintScope {
  readonly constraint: xsd.IdentityConstraint;
  readonly depth: number;
  /** The keys that must not occur again (unique, key), or that must exist (keyref). */
  readonly keys = new Set<string>();
  readonly #selectors: readonly PathMatcher[];
  readonly selected: Selected[] = [];

  constructor(constraint: xsd.IdentityConstraint, depth: number) {
    this.constraint = constraint;
    this.depth = depth;
    this.#selectors = constraint.selector.map((path) => new PathMatcher(path));
  }

  /**
   * An element begins at this depth, which may be that of the scope itself. Adds the fields it
   * gives.
   */
  open(
    tag: StartTag,
    attributes: readonly IdentityAttribute[],
    depth: number,
    hits: FieldHit[],
  ): void {
    const below = depth - this.depth;
    for (const selected of this.selected) {
      addHits(selected, tag, attributes, depth, hits);
    }
    let isSelected = false;
    for (const selector of this.#selectors) {
      const matches =
        below === 0 ? selector.matchesStart : selector.open(below, tag.uri, tag.local);
      isSelected = isSelected || matches;
    }
    if (!isSelected) return;
    const selected = select(this, depth);
    this.selected.push(selected);
    addHits(selected, tag, attributes, depth, hits);
  }

  /** The selected element that ends at this depth, or null. */
  close(depth: number): Selected | null {
    const last = this.selected.at(-1);
    if (last === undefined || last.depth !== depth) return null;
    this.selected.pop();
    return last;
  }
}

function select(scope: ConstraintScope, depth: number): Selected {
  const { fields } = scope.constraint;
  return {
    scope,
    depth,
    values: fields.map(() => null),
    isRepeated: false,
    fields: fields.map((paths) => paths.map((path) => ({ path, matcher: new PathMatcher(path) }))),
  };
}

function addHits(
  selected: Selected,
  tag: StartTag,
  attributes: readonly IdentityAttribute[],
  depth: number,
  hits: FieldHit[],
): void {
  const below = depth - selected.depth;
  selected.fields.forEach((paths, field) => {
    // Several paths may name one node, which is in the node set once (XSD 1.0 part 1 section
    // 3.11.4).
    let hasText = false;
    const named = new Set<IdentityAttribute>();
    for (const { path, matcher } of paths) {
      const matches = below === 0 ? matcher.matchesStart : matcher.open(below, tag.uri, tag.local);
      // `.//` reaches what is below as well.
      if (!matches) continue;
      const wanted = path.attribute;
      if (wanted === null) {
        hasText = true;
      } else {
        for (const attribute of attributes) {
          if (matchesNameTest(wanted, attribute.uri, attribute.local)) {
            named.add(attribute);
          }
        }
      }
    }
    if (hasText) {
      hits.push({ selected, field, attribute: null });
    }
    for (const attribute of named) {
      hits.push({ selected, field, attribute });
    }
  });
}
