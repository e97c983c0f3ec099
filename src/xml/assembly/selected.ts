// AssemblyScript, as `skim.ts`.
import * as at from './layout';
import { found, isSame, plainEnd, prefixed, textEnd } from './names-and-texts';

/** The child is not selected. */
export const NOT_SELECTED: u32 = 0;
/** The child is one that the scanners read and report. */
export const TO_REPORT: u32 = 1;

/**
 * The selected child of the name that was read last; `TO_REPORT` where it is not known what the
 * child is, or the events of its content cannot be kept.
 */
export function selectedChild(selection: u32, name: u32, length: u32): u32 {
  const uri = load<u32>(prefixed === 0 ? at.DEFAULT_URI : at.PREFIX_URI + found * 4);
  const local = name + prefixed;
  const localLength = length - prefixed;
  const first = selection + at.SELECTED;
  const last = first + load<u32>(selection) * at.SELECTED_BYTES;
  let result = NOT_SELECTED;
  for (let child = first; child < last; child += at.SELECTED_BYTES) {
    if (load<u32>(child + at.SELECTED_LENGTH) !== localLength) continue;
    if (!isSame(child + at.SELECTED_NAME, local, localLength)) continue;
    const isKnown = load<u32>(child + at.SELECTED_URI) === uri;
    if (isKnown && load<u32>(child + at.SELECTED_CONTENT) !== at.CONTENT_OTHER) return child;
    result = TO_REPORT;
  }
  return result;
}

/** Whether the events of a further tag may not fit. */
export function isFull(): bool {
  const full = load<u32>(at.EVENTS) > <u32>(at.EVENTS_MAX - at.EVENTS_OF_TAG);
  if (full) store<u32>(at.IS_FULL, 1);
  return full;
}

/**
 * Keeps the text of a leaf whose name begins at `name`, if it has no attributes and is whole.
 * Returns the end of the element; else 0.
 */
export function keepLeaf(selection: u32, child: u32, name: u32, length: u32, end: u32): u32 {
  const behindName = name + length;
  const start = behindName + 1;
  if (load<u8>(behindName) !== 0x3e) {
    if (load<u16>(behindName) !== 0x3e2f) return 0;
    keep(at.KEPT_LEAF, placeOf(selection, child), start, start, 0);
    return start + 1;
  }
  let stop = plainEnd(start, end);
  let form: u32 = at.KEPT_LEAF;
  if (stop < end && load<u8>(stop) !== 0x3c) {
    stop = textEnd(start, end);
    form = at.KEPT_LEAF | at.EVENT_IS_WRITTEN;
  }
  const close = stop + 2 + length;
  if (close >= end || stop - start > load<u32>(at.MOST_TEXT)) return 0;
  if (load<u16>(stop) !== 0x2f3c || load<u8>(close) !== 0x3e) return 0;
  if (!isSame(name, stop + 2, length)) return 0;
  keep(form, placeOf(selection, child), start, stop, 0);
  return close + 1;
}

export function keepOpen(
  selection: u32,
  child: u32,
  start: u32,
  behind: u32,
  prefixBytes: u32,
): void {
  keep(at.KEPT_OPEN, placeOf(selection, child), start, behind, prefixBytes);
}

/** Keeps the attributes of the start tag that was read last. */
export function keepAttributes(count: u32): void {
  for (let index: u32 = 0; index < count; index++) {
    const name = at.ATTRIBUTES + index * 8;
    const value = at.VALUES + index * 8;
    const start = load<u32>(value);
    const stop = load<u32>(value + 4);
    const form = at.KEPT_ATTRIBUTE | (plainEnd(start, stop) < stop ? at.EVENT_IS_WRITTEN : 0);
    keep(form, load<u32>(name + 4), start, stop, load<u32>(name));
  }
}

export function keepClose(start: u32, behind: u32): void {
  keep(at.KEPT_CLOSE, 0, start, behind, 0);
}

function keep(form: u32, place: u32, start: u32, end: u32, name: u32): void {
  const events = load<u32>(at.EVENTS);
  const event = at.EVENT + events * at.EVENT_STRIDE;
  store<u32>(event, form | (place << at.EVENT_PLACE_SHIFT));
  store<u32>(event + at.EVENT_START, start);
  store<u32>(event + at.EVENT_END, end);
  store<u32>(event + at.EVENT_NAME, name);
  store<u32>(at.EVENTS, events + 1);
  store<u32>(at.PASSED_LENGTH, 0);
}

/** The place of a child in its selection. */
const placeOf = (selection: u32, child: u32): u32 =>
  (child - selection - at.SELECTED) / at.SELECTED_BYTES;
