import { type FieldNode, Kind, type SelectionSetNode } from 'graphql';
import type { Fragments } from '../output/reply-plan.js';
import type { LinkTable } from './link.js';

/** Finds out whether selections may hold links, by the names of fields alone: every node is visited once. */
export class LinkMentions {
  readonly #names: ReadonlySet<string>;
  readonly #fragments: Fragments;
  readonly #known = new Map<SelectionSetNode, boolean>();

  constructor(table: LinkTable, fragments: Fragments) {
    this.#names = new Set([...table.keys()].map((key) => key.slice(key.indexOf('.') + 1)));
    this.#fragments = fragments;
  }

  /** Whether this field may be a link, or have one below it. */
  at(node: FieldNode): boolean {
    return this.#names.has(node.name.value) || this.below(node);
  }

  /** Recursion is as deep as the selection, which is limited. */
  below({ selectionSet }: FieldNode): boolean {
    return this.#names.size > 0 && this.#isIn(selectionSet);
  }

  #isIn(set: SelectionSetNode | undefined): boolean {
    if (set === undefined) return false;
    const known = this.#known.get(set);
    if (known !== undefined) return known;
    const found = set.selections.some((selection) => {
      if (selection.kind === Kind.FRAGMENT_SPREAD)
        return this.#isIn(this.#fragments.get(selection.name.value)?.selectionSet);
      if (selection.kind === Kind.FIELD && this.#names.has(selection.name.value)) return true;
      return this.#isIn(selection.selectionSet);
    });
    this.#known.set(set, found);
    return found;
  }
}
