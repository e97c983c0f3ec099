import { ALL, type Interest, SKIP, type StartTag } from '../../xml/index.js';

/**
 * The content of a Fault's detail as JSON: an element is its text, or an object of its children by
 * local name.
 */
export type FaultDetail = { readonly [local: string]: FaultDetailValue };
type FaultDetailValue = string | FaultDetail | readonly FaultDetailValue[];

type Draft = { [local: string]: DraftValue };
type DraftValue = string | Draft | DraftValue[];

interface Frame {
  readonly local: string;
  text: string;
  children: Draft | null;
}

/** Nodes of one detail; further ones are dropped. A Fault explains, it does not carry data. */
const NODES_MAX = 1000;
/** UTF-16 units of all texts of one detail; further text is dropped. */
const TEXT_UNITS_MAX = 64 * 1024;

/**
 * Builds the JSON form of a detail. Repeated names become a list. Objects have no prototype: names
 * are input.
 */
export class DetailReader {
  readonly #root: Draft = emptyDraft();
  readonly #frames: Frame[] = [];
  #nodes = 0;
  #textUnits = 0;
  /** Elements open inside one that is not kept. */
  #skipped = 0;

  /** Null when nothing was kept. */
  get value(): FaultDetail | null {
    return Object.keys(this.#root).length === 0 ? null : this.#root;
  }

  open(tag: StartTag, isWanted: boolean): Interest {
    if (this.#skipped > 0 || !isWanted || ++this.#nodes > NODES_MAX) {
      this.#skipped++;
      return SKIP;
    }
    this.#frames.push({ local: tag.local, text: '', children: null });
    return ALL;
  }

  close(): void {
    if (this.#skipped > 0) {
      this.#skipped--;
      return;
    }
    const frame = this.#frames.pop();
    if (frame === undefined) return;
    const parent = this.#frames.at(-1);
    if (parent === undefined) {
      append(this.#root, frame);
      return;
    }
    parent.children ??= emptyDraft();
    append(parent.children, frame);
  }

  text(piece: string): void {
    const frame = this.#frames.at(-1);
    if (
      frame === undefined ||
      this.#skipped > 0 ||
      this.#textUnits + piece.length > TEXT_UNITS_MAX
    ) {
      return;
    }
    this.#textUnits += piece.length;
    frame.text += piece;
  }
}

const emptyDraft = (): Draft => Object.create(null);

function append(parent: Draft, frame: Frame): void {
  const value = frame.children ?? frame.text;
  const before = parent[frame.local];
  if (before === undefined) {
    parent[frame.local] = value;
  } else if (Array.isArray(before)) {
    before.push(value);
  } else {
    parent[frame.local] = [before, value];
  }
}
