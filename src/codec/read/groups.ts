import type { StartTag } from '../../xml/events.js';
import type { Places } from './places.js';
import { type SlotProgram, slotsFor } from './program.js';
import { type OpenRepetition, Reading } from './reading.js';
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
    const open = repetitionOf(owner, slot, repetition.turn, places);
    for (const reading of open === null ? [] : [open.reading, ...open.selves]) {
      if (reading.lost || reading.children === null) continue;
      const filled = slotsFor(reading.children, tag, owner.uri);
      if (filled === null) continue;
      const part = { owner: reading, slots: filled };
      if (filled[0]?.group == null) parts.push(part);
      else parts.push(...partsOf(tag, part, repetition.inner, places));
    }
  }
  return parts;
}

/** What is read of the repetition of this turn; of the one before it, all is read. Null where the list takes no more. */
function repetitionOf(owner: Reading, slot: SlotProgram, turn: number, places: Places): OpenRepetition | null {
  owner.groups ??= { repetitions: new Map(), readings: new Map() };
  const { readings } = owner.groups;
  const open = readings.get(slot) ?? null;
  if (open?.turn === turn) return open;
  if (open !== null) {
    readings.delete(slot);
    places.endRepetition(open);
  }
  const variant = slot.value.kind === 'object' ? slot.value.declared : null;
  const index = variant === null || owner.lost ? -1 : places.nextIndex(owner, slot);
  if (index === -1) return null;
  const reading = begun(new Reading(owner, slot, index, owner.uri, variant));
  const made = { turn, reading, selves: selvesOf(reading) };
  readings.set(slot, made);
  return made;
}

function begun(reading: Reading): Reading {
  for (const constant of reading.variant?.constants ?? []) reading.values[constant.place] = constant.fallback;
  return reading;
}

function selvesOf(root: Reading): readonly Reading[] {
  const selves: Reading[] = [];
  const all = [root];
  for (const reading of all) {
    for (const slot of reading.variant?.selves ?? []) {
      const variant = slot.value.kind === 'object' ? slot.value.declared : null;
      if (variant === null) continue;
      const self = begun(new Reading(reading, slot, -1, reading.uri, variant));
      selves.push(self);
      all.push(self);
    }
  }
  return selves;
}
