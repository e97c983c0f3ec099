// AssemblyScript: see https://www.assemblyscript.org. It looks like TypeScript and is compiled to
// WebAssembly.
import { isBefore, isCanonicalText, isCanonicalValue, isWhite } from './canonical-forms';
import * as at from './layout';
import {
  found,
  isSame,
  LINE_FEEDS,
  nameLength,
  prefixed,
  textEnd,
  valueEnd,
} from './names-and-texts';
import {
  isFull,
  keepAttributes,
  keepClose,
  keepLeaf,
  keepOpen,
  NOT_SELECTED,
  selectedChild,
  TO_REPORT,
} from './selected';

/** Each kind of content has code of its own: `isFloat` of its type is known to the compiler. */
type AnyContent = i32;
type CanonicalContent = f32;

/**
 * Passes over content from a `<` or from behind markup, and stops at the beginning of the first tag
 * or text that is not on the fast path or not whole, which the scanners read and check. Returns
 * where it stopped. `PLAIN_END` is the end of the text there, if it is text.
 *
 * Where there is a selection, events of selected content are kept. It stops at selected children
 * whose events cannot be kept, too.
 */
export function skim(from: u32, end: u32): u32 {
  return pass<AnyContent>(from, end);
}

/**
 * As `skim`, and stops before what Canonical XML writes otherwise, but for declarations (the
 * prefixes that are held need none) and for tags of empty elements, which `EMPTY_TAGS` lists.
 */
export function skimCanonical(from: u32, end: u32): u32 {
  return pass<CanonicalContent>(from, end);
}

function pass<T>(from: u32, end: u32): u32 {
  const bottom = frameAt(load<u32>(at.FLOOR));
  const ceiling = frameAt(load<u32>(at.MOST_DEPTH));
  let frame = frameAt(load<u32>(at.DEPTH));
  let lowest = frame;
  let elements = load<i32>(at.ELEMENTS);
  let namesEnd = load<u32>(at.NAMES_END);
  let plainEnd: u32 = 0;
  let emptyTags: u32 = 0;
  let selection = load<u32>(at.SELECTION);
  const isSelecting = selection !== 0;
  if (isSelecting) store<u32>(selectionAt(frame), selection);
  let passedBytes: u32 = 0;
  let passedStart: u32 = from;
  let i = from;
  while (i + 2 < end) {
    const first = load<u16>(i);
    if (first === 0x2f3c) {
      const name = load<u32>(frame);
      const length = load<u32>(frame + at.FRAME_LENGTH);
      const close = i + 2 + length;
      if (frame === bottom || (load<u32>(frame + at.FRAME_IS_BARRED) & at.BARRED) !== 0) break;
      if (close >= end || load<u8>(close) !== 0x3e || !isSame(name, i + 2, length)) break;
      if (isSelecting) {
        if (selection !== 0) {
          if (isFull()) break;
          keepClose(i, close + 1);
        }
        const outer = load<u32>(selectionAt(frame - at.FRAME_STRIDE));
        if (selection === 0 && outer !== 0) passedBytes += i - passedStart;
        selection = outer;
      }
      namesEnd = name;
      frame -= at.FRAME_STRIDE;
      if (frame < lowest) lowest = frame;
      i = close + 1;
    } else if ((first & 0xff) === 0x3c) {
      const length = nameLength(i + 1, end);
      if (length === 0) break;
      if (isFloat<T>()) {
        if (prefixed === 0 && load<u32>(at.PASSES_DEFAULT) === 0) break;
      }
      const children = load<i32>(frame + at.FRAME_CHILDREN);
      if (
        children >= load<i32>(at.MOST_CHILDREN) ||
        elements >= load<i32>(at.MOST_ELEMENTS) ||
        frame >= ceiling
      )
        break;
      const prefixBytes = prefixed;
      let child = NOT_SELECTED;
      if (selection !== 0) {
        child = selectedChild(selection, i + 1, length);
        if (child === TO_REPORT || (child !== NOT_SELECTED && isFull())) break;
        if (child !== NOT_SELECTED && load<u32>(child + at.SELECTED_CONTENT) === at.CONTENT_LEAF) {
          const behind = keepLeaf(selection, child, i + 1, length, end);
          if (behind === 0) break;
          store<i32>(frame + at.FRAME_CHILDREN, children + 1);
          elements++;
          i = behind;
          continue;
        }
      }
      let close = i + 1 + length;
      attributes = 0;
      hasPrefixed = false;
      if (load<u8>(close) !== 0x3e) {
        close = attributesEnd<T>(close, end);
        if (close === 0) break;
      }
      if (child !== NOT_SELECTED && (hasPrefixed || load<u8>(close) !== 0x3e)) break;
      if (load<u8>(close) === 0x3e) {
        if (namesEnd + length > <u32>(at.NAME + at.NAMES_BYTES)) break;
        for (let k: u32 = 0; k < length; k += 16) v128.store(namesEnd + k, v128.load(i + 1 + k));
        store<i32>(frame + at.FRAME_CHILDREN, children + 1);
        if (child !== NOT_SELECTED) {
          keepOpen(selection, child, i, close + 1, prefixBytes);
          if (load<u32>(child + at.SELECTED_HAS_ATTRIBUTES) !== 0) keepAttributes(attributes);
          selection = load<u32>(child + at.SELECTED_CONTENT);
        } else if (selection !== 0) {
          selection = 0;
          store<u32>(at.PASSED_NAME, i + 1);
          store<u32>(at.PASSED_LENGTH, length);
          passedStart = close + 1;
        }
        frame += at.FRAME_STRIDE;
        if (isSelecting) store<u32>(selectionAt(frame), selection);
        store<u32>(frame, namesEnd);
        store<u32>(frame + at.FRAME_LENGTH, length);
        store<i32>(frame + at.FRAME_CHILDREN, 0);
        store<i32>(frame + at.FRAME_IS_BARRED, 0);
        namesEnd += length;
        i = close + 1;
      } else {
        if (isFloat<T>()) {
          if (emptyTags === at.EMPTY_TAGS_MAX) break;
          const tag = at.EMPTY_TAGS + emptyTags * at.EMPTY_TAG_STRIDE;
          store<u32>(tag, close);
          store<u32>(tag + at.EMPTY_TAG_NAME, i + 1);
          store<u32>(tag + at.EMPTY_TAG_LENGTH, length);
          emptyTags++;
        }
        store<i32>(frame + at.FRAME_CHILDREN, children + 1);
        i = close + 2;
      }
      elements++;
    } else {
      const stop = textEnd(i, end);
      if (stop >= end || load<u8>(stop) !== 0x3c) {
        plainEnd = stop < end ? stop : end;
        break;
      }
      if (isFloat<T>()) {
        if (!isCanonicalText(i, stop)) break;
        if (!isWhite(i, stop)) {
          store<u32>(
            frame + at.FRAME_IS_BARRED,
            load<u32>(frame + at.FRAME_IS_BARRED) | at.HAS_TEXT,
          );
        }
      }
      i = stop;
    }
  }
  store<u32>(at.PLAIN_END, plainEnd === 0 ? i : plainEnd);
  store<i32>(at.ELEMENTS, elements);
  store<u32>(at.DEPTH, depthOf(frame));
  store<u32>(at.LOWEST, depthOf(lowest));
  store<u32>(at.NAMES_END, namesEnd);
  if (isFloat<T>()) store<u32>(at.EMPTY_TAGS_HELD, emptyTags);
  store<u32>(at.PASSED_BYTES, passedBytes);
  store<u32>(at.PASSED_START, passedStart);
  return i;
}

const frameAt = (depth: u32): u32 => at.FRAME + depth * at.FRAME_STRIDE;
const depthOf = (frame: u32): u32 => (frame - at.FRAME) / at.FRAME_STRIDE;
const selectionAt = (frame: u32): u32 => at.FRAME_SELECTION + ((frame - at.FRAME) >> 2);

/** Attributes of the tag that was read last, and whether the name of one has a prefix. */
let attributes: u32 = 0;
let hasPrefixed: bool = false;

/**
 * Returns the end of plain attributes, at `>` or `/>`; 0 when one is not plain, or where they are
 * to be canonical and are not surely in their order.
 */
function attributesEnd<T>(from: u32, end: u32): u32 {
  let count = 0;
  let lastPrefix: i32 = -1;
  let i = from;
  while (i + 4 < end) {
    const byte = load<u8>(i);
    if (byte === 0x3e) {
      attributes = count;
      return i;
    }
    if (byte === 0x2f) return load<u8>(i + 1) === 0x3e ? i : 0;
    if (byte !== 0x20 || count >= load<i32>(at.MOST_ATTRIBUTES) || count >= at.ATTRIBUTES_MAX)
      return 0;
    const name = i + 1;
    const length = nameLength(name, end);
    // A name that begins with `xml` may be a declaration.
    if (length === 0 || (load<u32>(name) & 0xffffff) === 0x6c6d78) return 0;
    if (prefixed !== 0) {
      hasPrefixed = true;
      if ((load<u32>(at.WATCHED) & ((<u32>1) << found)) !== 0) return 0;
    } else if (load<u32>(at.WATCHES_IDS) !== 0 && isId(name, length)) {
      return 0;
    }
    const start = name + length + 2;
    if (start >= end || load<u16>(start - 2) !== 0x223d) return 0;
    const local = name + prefixed;
    const localLength = length - prefixed;
    // Perhaps a duplicate: the scanners compare the namespaces.
    for (let other = 0; other < count; other++) {
      const seen = at.ATTRIBUTES + other * 8;
      if (load<u32>(seen + 4) === localLength && isSame(load<u32>(seen), local, localLength))
        return 0;
    }
    if (isFloat<T>()) {
      // Those without a prefix come first, and the order of others is that of their namespaces.
      const prefix = prefixed === 0 ? -1 : <i32>found;
      const last = at.ATTRIBUTES + count * 8 - 8;
      if (count > 0) {
        if (prefix !== lastPrefix) {
          if (lastPrefix >= 0) return 0;
        } else if (!isBefore(load<u32>(last), load<u32>(last + 4), local, localLength)) {
          return 0;
        }
      }
      lastPrefix = prefix;
    }
    store<u32>(at.ATTRIBUTES + count * 8, local);
    store<u32>(at.ATTRIBUTES + count * 8 + 4, localLength);
    const stop = valueEnd(start, end);
    if (stop === 0 || stop - start > load<u32>(at.MOST_VALUE)) return 0;
    if (isFloat<T>()) {
      if (!isCanonicalValue(start, stop)) return 0;
    }
    store<u32>(at.VALUES + count * 8, start);
    store<u32>(at.VALUES + count * 8 + 4, stop);
    count++;
    i = stop + 1;
  }
  return 0;
}

/** Whether a name is `Id` in any letters, or may be `AssertionID`. */
function isId(name: u32, length: u32): bool {
  return length === 2 ? (load<u16>(name) | 0x2020) === 0x6469 : length === 11;
}

/** Returns the end of valid text, as `textEnd` has it, but never beyond `end`. */
export function passText(from: u32, end: u32): u32 {
  const stop = textEnd(from, end);
  return stop < end ? stop : end;
}

/** The line feeds from `from` to before `end`, where sixteen more bytes can be read. */
export function countLines(from: u32, end: u32): u32 {
  const lineFeeds = v128.load(LINE_FEEDS);
  let count: u32 = 0;
  let i = from;
  for (; i + 16 <= end; i += 16) count += popcnt(i8x16.bitmask(i8x16.eq(v128.load(i), lineFeeds)));
  const rest = (1 << (end - i)) - 1;
  return count + popcnt(i8x16.bitmask(i8x16.eq(v128.load(i), lineFeeds)) & rest);
}
