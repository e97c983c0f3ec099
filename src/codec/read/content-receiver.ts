import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { SlotProgram } from './program.js';
import type { Reading } from './reading.js';

/** A place of binary content in a reply. */
export interface ContentPlace {
  /** The names of the fields from the answer down; none where the answer itself is the content. */
  readonly names: readonly string[];
  /** The index in each list on the way. */
  readonly indexes: readonly number[];
  /** What was read with the address: fields of the same object with simple values. */
  readonly beside: readonly FieldDigest[];
}

/** A field, and a hash of its value. */
export interface FieldDigest {
  readonly name: string;
  readonly digest: string;
}

/**
 * Makes the address of a place, once it is known what is beside it; a text says why it has none.
 */
export type AddressMaker = (
  place: Pick<ContentPlace, 'names' | 'indexes'>,
) => ((beside: ContentPlace['beside']) => string) | string;

/** Gets the binary content at one place of a reply, while it is read. */
export interface ContentReceiver {
  readonly place: ContentPlace;
  /** Bytes of it follow, or none: it is there. */
  begin(): void;
  bytes(piece: Buffer): void;
  /** The values beside it are not those that its address was made with. */
  changed(): void;
}

/** Fields beside an address that are compared, and the characters of their names. */
const BESIDE_MAX = 16;
const BESIDE_CHARS_MAX = 512;

/**
 * The place of the value of `slot` of `owner`, without what is beside it. `hiddenNames`: of the
 * outermost objects.
 */
export function contentPlaceOf(
  owner: Reading | null,
  slot: SlotProgram | null,
  index: number,
  hiddenNames: number,
): Pick<ContentPlace, 'names' | 'indexes'> {
  const names: string[] = [];
  const indexes: number[] = [];
  while (slot !== null) {
    if (index >= 0) {
      indexes.push(index);
    }
    // The name comes from the wrapper of the list.
    if (owner?.kind !== 'list' && owner?.slot?.isLifted !== true) {
      names.push(slot.fieldName);
    }
    slot = owner?.slot ?? null;
    index = owner?.index ?? -1;
    owner = owner?.owner ?? null;
  }
  return { names: names.reverse().slice(hiddenNames), indexes: indexes.reverse() };
}

/**
 * The object that shows a value: without the list around it, and without the elements that it was
 * lifted out of.
 */
export function shownObject(owner: Reading): Reading {
  let shown = owner;
  while (shown.owner !== null && (shown.kind === 'list' || shown.slot?.isLifted === true)) {
    shown = shown.owner;
  }
  return shown;
}

/** The fields to compare of the object that shows a value, once it is read. */
export function besideOf(owner: Reading): readonly FieldDigest[] {
  const { variant, values } = shownObject(owner);
  const beside: FieldDigest[] = [];
  let charsLeft = BESIDE_CHARS_MAX;
  for (const slot of variant?.slots ?? []) {
    const { fieldName: name, position } = slot;
    if (!isCompared(slot) || !isSimpleValue(values[position])) continue;
    charsLeft -= name.length;
    if (charsLeft < 0 || beside.length === BESIDE_MAX) break;
    beside.push({ name, digest: digestOf(values[position]) });
  }
  return beside;
}

/** Masks may differ from process to process. */
const isCompared = ({ value, from, list, isBinary, isReference }: SlotProgram): boolean =>
  value.kind === 'scalar' &&
  value.scalar.mask === undefined &&
  (from === 'child' || from === 'attribute') &&
  !list &&
  !isBinary &&
  !isReference;

const isSimpleValue = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

const digestOf = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value ?? null))
    .digest('base64url')
    .slice(0, DIGEST_CHARS);

/** 72 bits: two values do not have one hash by chance. */
const DIGEST_CHARS = 12;

/**
 * Whether an object has other values than these, as far as it is read. `isOver`: it is, and what it
 * lacks will not come.
 */
export const differs = (
  { variant, values }: Reading,
  beside: readonly FieldDigest[],
  isOver: boolean,
): boolean =>
  beside.some(({ name, digest }) => {
    const slot = variant?.slots.find((each) => each.fieldName === name && isCompared(each));
    const value = slot === undefined ? undefined : values[slot.position];
    return (value !== undefined || isOver) && digestOf(value) !== digest;
  });
