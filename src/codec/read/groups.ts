import type { StartTag } from '../../xml/events.js';
import type { Places } from './places.js';
import { type SlotProgram, slotsFor } from './program.js';
import { Reading } from './reading.js';
import { Repetition } from './repetition.js';

/** What reads one repetition of a group, and the slots of it that an element fills. */
export interface GroupPart {
  readonly owner: Reading;
  readonly slots: readonly SlotProgram[];
}

/**
 * Whose an element is that stands in a group which is repeated: `slots` of `owner` are those of the group. Objects for
 * repetitions are begun and ended here; none where nobody asks for the element, or where the list is lost.
 */
export function repetitionsOf(
  tag: StartTag,
  owner: Reading,
  slots: readonly SlotProgram[],
  places: Places,
): readonly GroupPart[] {
  const group = slots[0]?.group ?? null;
  if (group === null) return [];
  owner.groups ??= { repetitions: new Map(), readings: new Map() };
  const { repetitions } = owner.groups;
  const repetition = repetitions.get(group) ?? new Repetition(group);
  repetitions.set(group, repetition);
  repetition.step(tag);
  return partsOf(tag, { owner, slots }, repetition, places);
}

/** Recursion is as deep as groups are nested in one content model, which is bounded. */
function partsOf(
  tag: StartTag,
  { owner, slots }: GroupPart,
  repetition: Repetition | null,
  places: Places,
): readonly GroupPart[] {
  const parts: GroupPart[] = [];
  if (repetition === null) return parts;
  for (const slot of slots) {
    const reading = readingOf(owner, slot, repetition.turn, places);
    if (reading === null || reading.lost || reading.children === null) continue;
    const filled = slotsFor(reading.children, tag, owner.uri);
    if (filled === null) continue;
    const part = { owner: reading, slots: filled };
    if (filled[0]?.group == null) parts.push(part);
    else parts.push(...partsOf(tag, part, repetition.inner, places));
  }
  return parts;
}

/** The reading of the repetition of this turn; the one before it ends. Null where the list takes no more. */
function readingOf(owner: Reading, slot: SlotProgram, turn: number, places: Places): Reading | null {
  owner.groups ??= { repetitions: new Map(), readings: new Map() };
  const { readings } = owner.groups;
  const open = readings.get(slot) ?? null;
  if (open?.turn === turn) return open.reading;
  if (open !== null) {
    readings.delete(slot);
    places.endRepetition(open.reading);
  }
  const variant = slot.value.kind === 'object' ? slot.value.declared : null;
  const index = variant === null || owner.lost ? -1 : places.nextIndex(owner, slot);
  if (index === -1) return null;
  const reading = new Reading(owner, slot, index, owner.uri, variant);
  for (const constant of variant?.constants ?? []) reading.values[constant.place] = constant.fallback;
  readings.set(slot, { reading, turn });
  return reading;
}
