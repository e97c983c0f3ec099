import type { StartTag } from '../../xml/index.js';
import { slotsFor } from './find-slots.js';
import type { SlotProgram } from './program.js';
import { type OpenRepetition, Reading } from './reading.js';
import { Repetition } from './repetition.js';
import type { ResponseBuilder } from './response-builder.js';

/** The reading of one repetition of a group, and the slots of it that an element fills. */
interface GroupPart {
  readonly owner: Reading;
  readonly slots: readonly SlotProgram[];
}

/**
 * The readings that take an element of a repeated group: `slots` of `owner` are those of the group.
 * Objects for repetitions are begun and ended here; none where the element is not requested, or
 * where the list is null.
 */
export function openRepetitions(
  tag: StartTag,
  owner: Reading,
  slots: readonly SlotProgram[],
  response: ResponseBuilder,
): readonly GroupPart[] {
  const group = slots[0]?.group ?? null;
  if (group === null) return [];
  owner.groups ??= { repetitions: new Map(), readings: new Map() };
  const { repetitions } = owner.groups;
  const repetition = repetitions.get(group) ?? new Repetition(group);
  repetitions.set(group, repetition);
  repetition.step(tag);
  return partsOf(tag, { owner, slots }, repetition, response);
}

/** Recursion is as deep as groups are nested in one content model, which is bounded. */
function partsOf(
  tag: StartTag,
  { owner, slots }: GroupPart,
  repetition: Repetition | null,
  response: ResponseBuilder,
): readonly GroupPart[] {
  const parts: GroupPart[] = [];
  if (repetition === null) return parts;
  for (const slot of slots) {
    const open = openRepetition(owner, slot, repetition.ordinal, response);
    for (const reading of open === null ? [] : [open.reading, ...open.selves]) {
      if (reading.isNullified || reading.children === null) continue;
      const filled = slotsFor(reading.children, tag, owner.uri);
      if (filled === null) continue;
      const part = { owner: reading, slots: filled };
      if (filled[0]?.group == null) {
        parts.push(part);
      } else {
        parts.push(...partsOf(tag, part, repetition.inner, response));
      }
    }
  }
  return parts;
}

/**
 * The open repetition with this ordinal; ends the one before it. Null where the list takes no more.
 */
function openRepetition(
  owner: Reading,
  slot: SlotProgram,
  ordinal: number,
  response: ResponseBuilder,
): OpenRepetition | null {
  owner.groups ??= { repetitions: new Map(), readings: new Map() };
  const { readings } = owner.groups;
  const open = readings.get(slot) ?? null;
  if (open?.ordinal === ordinal) return open;
  if (open !== null) {
    readings.delete(slot);
    response.endRepetition(open);
  }
  const variant = slot.value.kind === 'object' ? slot.value.declared : null;
  const index = variant === null || owner.isNullified ? -1 : response.nextIndex(owner, slot);
  if (index === -1) return null;
  const reading = response.setConstants(new Reading(owner, slot, index, owner.uri, variant));
  const made = { ordinal, reading, selves: selvesOf(reading, response) };
  readings.set(slot, made);
  return made;
}

function selvesOf(root: Reading, response: ResponseBuilder): readonly Reading[] {
  const selves: Reading[] = [];
  const all = [root];
  for (const reading of all) {
    for (const slot of reading.variant?.selves ?? []) {
      const variant = slot.value.kind === 'object' ? slot.value.declared : null;
      if (variant === null) continue;
      const self = response.setConstants(new Reading(reading, slot, -1, reading.uri, variant));
      selves.push(self);
      all.push(self);
    }
  }
  return selves;
}
