// AssemblyScript, as `skim.ts`.
import { formEnd } from './forms';
import * as at from './layout';
import { found, isSame, nameLength, prefixed, textEnd, valueEnd } from './names-and-texts';

/**
 * Passes over content of elements with content models, from a `<` or from behind markup, and
 * validates it. Stops at the beginning of the first tag or text that is not surely valid, or not
 * whole, or not on the fast path: the scanners and the validator read it. Returns where it stopped.
 */
export function skimModel(from: u32, end: u32): u32 {
  const bottom = load<u32>(at.MODEL_FLOOR);
  const ceiling = min<u32>(load<u32>(at.MOST_DEPTH), at.MODEL_DEPTH_MAX);
  let depth = load<u32>(at.MODEL_DEPTH);
  let lowest = depth;
  let frame = frameAt(depth);
  let state = load<u32>(frame + at.FRAME_STATE);
  let elements = load<i32>(at.ELEMENTS);
  let event: u32 = 0;
  let i = from;
  let isUnknown = false;
  while (i + 2 < end) {
    const first = load<u16>(i);
    if (first === 0x2f3c) {
      const length = load<u32>(frame + at.FRAME_LENGTH);
      const close = i + 2 + length;
      if (depth === bottom || load<i32>(frame + at.FRAME_IS_BARRED) !== 0) break;
      if (load<u32>(state + at.STATE_MAY_END) === 0) break;
      const name = load<u32>(frame);
      if (close >= end || load<u8>(close) !== 0x3e || !isSame(name, i + 2, length)) break;
      store<u32>(at.MODEL_NAMES_END, name);
      store<u32>(at.MODEL_COUNTS_END, load<u32>(frame + at.FRAME_COUNTS));
      depth--;
      if (depth < lowest) lowest = depth;
      frame -= at.MODEL_FRAME_STRIDE;
      state = load<u32>(frame + at.FRAME_STATE);
      event = close;
      i = close + 1;
    } else if ((first & 0xff) === 0x3c) {
      let edge = lastEdge(state, i + 1, end);
      let length: u32 = 0;
      if (edge !== 0) {
        length = load<u32>(edge + at.EDGE_WRITTEN_LENGTH);
      } else {
        length = nameLength(i + 1, end);
        if (length === 0) break;
        edge = edgeTo(state, i + 1, length);
        if (edge === 0) {
          isUnknown = true;
          break;
        }
      }
      const children = load<i32>(frame + at.FRAME_CHILDREN);
      if (children >= load<i32>(at.MOST_CHILDREN) || elements >= load<i32>(at.MOST_ELEMENTS)) break;
      if (depth >= ceiling) break;
      const element = load<u32>(edge + at.EDGE_ELEMENT);
      const form = load<u32>(element + at.TEXT_FORM);
      if (form === at.FORM_OTHER) break;
      let close = i + 1 + length;
      isNil = false;
      if (load<u8>(close) !== 0x3e) {
        close = attributesEnd(element, close, end);
        if (close === 0) break;
      } else if (load<u32>(element + at.ELEMENT_REQUIRED) !== 0) {
        break;
      }
      const isEmpty = load<u8>(close) === 0x2f;
      const behind = isEmpty ? close + 2 : close + 1;
      const opens = form === at.FORM_MODEL && !isEmpty && !isNil;
      let next = behind;
      if (isNil) {
        if (!isEmpty) next = endTagEnd(behind, end, i + 1, length);
        if (next === 0) break;
      } else if (opens) {
        if (!push(frame, element, i + 1, length)) break;
      } else if (form === at.FORM_MODEL) {
        if (load<u32>(load<u32>(element + at.ELEMENT_START) + at.STATE_MAY_END) === 0) break;
      } else if (isEmpty) {
        if (!mayBeEmpty(element)) break;
      } else {
        next = leafEnd(element, behind, end, i + 1, length);
        if (next === 0) break;
      }
      const count = load<u32>(frame + at.FRAME_COUNTS) + load<u32>(edge + at.EDGE_COUNT);
      store<i32>(count, load<i32>(count) + 1);
      store<i32>(frame + at.FRAME_CHILDREN, children + 1);
      state = load<u32>(edge + at.EDGE_TO);
      store<u32>(frame + at.FRAME_STATE, state);
      if (opens) {
        depth++;
        frame += at.MODEL_FRAME_STRIDE;
        state = load<u32>(frame + at.FRAME_STATE);
      }
      event = opens ? i : next - 1;
      elements++;
      i = next;
    } else {
      const stop = spaceEnd(i, end);
      if (stop >= end || load<u8>(stop) !== 0x3c) break;
      i = stop;
    }
  }
  store<u32>(at.MODEL_IS_UNKNOWN, isUnknown ? 1 : 0);
  store<u32>(at.MODEL_EVENT, event);
  store<i32>(at.ELEMENTS, elements);
  store<u32>(at.MODEL_DEPTH, depth);
  store<u32>(at.MODEL_LOWEST, lowest);
  return i;
}

/** The attributes read last have `xsi:nil`, which is true. */
let isNil: bool = false;

const frameAt = (depth: u32): u32 => at.MODEL_FRAME + depth * at.MODEL_FRAME_STRIDE;

/** The transition that was taken last from here, if its name stands here as then; else 0. */
function lastEdge(state: u32, name: u32, end: u32): u32 {
  const edge = load<u32>(state + at.STATE_LAST);
  if (edge === 0 || load<u32>(edge + at.EDGE_SCOPE) !== load<u32>(at.MODEL_SCOPE)) return 0;
  const length = load<u32>(edge + at.EDGE_WRITTEN_LENGTH);
  if (name + length >= end || length > load<u32>(at.MOST_NAME)) return 0;
  const byte = load<u8>(name + length);
  const isEnd = byte === 0x3e || byte === 0x20 || byte === 0x2f;
  return isEnd && isSame(edge + at.EDGE_WRITTEN, name, length) ? edge : 0;
}

/** Keeps how the name of a transition is written. */
function keepWritten(state: u32, edge: u32, name: u32, length: u32): void {
  if (length > <u32>at.EDGE_WRITTEN_MAX || load<u32>(at.MODEL_SCOPE) === 0) return;
  v128.store(edge + at.EDGE_WRITTEN, v128.load(name));
  if (length > 16) v128.store(edge + at.EDGE_WRITTEN + 16, v128.load(name + 16));
  store<u32>(edge + at.EDGE_WRITTEN_LENGTH, length);
  store<u32>(edge + at.EDGE_SCOPE, load<u32>(at.MODEL_SCOPE));
  store<u32>(state + at.STATE_LAST, edge);
}

/** The transition to the element whose name was read last; 0 for none. */
function edgeTo(state: u32, name: u32, length: u32): u32 {
  const uri = load<u32>(prefixed === 0 ? at.DEFAULT_URI : at.PREFIX_URI + found * 4);
  const local = name + prefixed;
  const localLength = length - prefixed;
  let edge = load<u32>(state + at.STATE_FIRST);
  while (edge !== 0) {
    if (
      load<u32>(edge + at.EDGE_LENGTH) === localLength &&
      load<u32>(edge + at.EDGE_URI) === uri &&
      isSame(edge + at.EDGE_NAME, local, localLength)
    ) {
      keepWritten(state, edge, name, length);
      return edge;
    }
    edge = load<u32>(edge + at.EDGE_NEXT);
  }
  return 0;
}

/** Opens an element with a content model within this one; false where there is no room. */
function push(parent: u32, element: u32, name: u32, length: u32): bool {
  const frame = parent + at.MODEL_FRAME_STRIDE;
  const namesEnd = load<u32>(at.MODEL_NAMES_END);
  const counts = load<u32>(at.MODEL_COUNTS_END);
  const countsEnd = counts + load<u32>(element + at.ELEMENT_COUNTS);
  if (namesEnd + length > <u32>(at.MODEL_NAME + at.MODEL_NAMES_BYTES)) return false;
  if (countsEnd > <u32>(at.MODEL_COUNTS + at.MODEL_COUNTS_BYTES)) return false;
  for (let k: u32 = 0; k < length; k += 16) v128.store(namesEnd + k, v128.load(name + k));
  for (let k = counts; k < countsEnd; k += 4) store<u32>(k, 0);
  store<u32>(frame, namesEnd);
  store<u32>(frame + at.FRAME_LENGTH, length);
  store<i32>(frame + at.FRAME_CHILDREN, 0);
  store<i32>(frame + at.FRAME_IS_BARRED, 0);
  store<u32>(frame + at.FRAME_STATE, load<u32>(element + at.ELEMENT_START));
  store<u32>(frame + at.FRAME_COUNTS, counts);
  store<u32>(at.MODEL_NAMES_END, namesEnd + length);
  store<u32>(at.MODEL_COUNTS_END, countsEnd);
  return true;
}

/** Returns the end of valid attributes, at `>` or `/>`; 0 where one is not surely valid. */
function attributesEnd(element: u32, from: u32, end: u32): u32 {
  const required = load<u32>(element + at.ELEMENT_REQUIRED);
  const first = load<u32>(element + at.ELEMENT_ATTRIBUTES);
  let expected = first;
  let seen: u32 = 0;
  let count = 0;
  let i = from;
  while (i + 4 < end) {
    const byte = load<u8>(i);
    if (byte === 0x3e || byte === 0x2f) {
      if ((seen & required) !== required) return 0;
      return byte === 0x3e || load<u8>(i + 1) === 0x3e ? i : 0;
    }
    if (byte !== 0x20 || count >= load<i32>(at.MOST_ATTRIBUTES)) return 0;
    const name = i + 1;
    let attribute = expected;
    let length: u32 = 0;
    if (isNextName(expected, name, end)) {
      length = load<u32>(expected + at.ATTRIBUTE_LENGTH);
    } else {
      length = nameLength(name, end);
      if (length === 0) return 0;
      if (prefixed !== 0) {
        const stop = isNil ? 0 : nilEnd(element, name, length, end);
        if (stop === 0) return 0;
        isNil = true;
        count++;
        i = stop + 1;
        continue;
      }
      attribute = attributeNamed(first, name, length);
      if (attribute === 0) return 0;
    }
    const bit = load<u32>(attribute + at.ATTRIBUTE_BIT);
    const start = name + length + 2;
    if ((seen & bit) !== 0 || start >= end || load<u16>(start - 2) !== 0x223d) return 0;
    const stop =
      load<u32>(attribute + at.TEXT_FORM) === at.FORM_ANY
        ? valueEnd(start, end)
        : formEnd(attribute, start, end, 0x22);
    if (stop === 0 || stop - start > load<u32>(at.MOST_VALUE)) return 0;
    seen |= bit;
    count++;
    expected = load<u32>(attribute + at.ATTRIBUTE_NEXT);
    i = stop + 1;
  }
  return 0;
}

/** The `nil` of `xsi:nil`, as a number. */
const NIL: u32 = 0x6c696e;

/** Returns the end of the value of this attribute if it is `xsi:nil` and makes it nil; else 0. */
function nilEnd(element: u32, name: u32, length: u32, end: u32): u32 {
  const isNamed = length - prefixed === 3 && (load<u32>(name + prefixed) & 0xffffff) === NIL;
  if (!isNamed || load<u32>(element + at.ELEMENT_IS_NILLABLE) === 0) return 0;
  const uri = load<u32>(at.PREFIX_URI + found * 4);
  const start = name + length + 2;
  if (uri !== load<u32>(at.NIL_URI) || load<u16>(start - 2) !== 0x223d) return 0;
  // `true`, as a number.
  const stop = load<u8>(start) === 0x31 ? start + 1 : start + 4;
  if (stop === start + 4 && load<u32>(start) !== 0x65757274) return 0;
  return stop < end && load<u8>(stop) === 0x22 && stop - start <= load<u32>(at.MOST_VALUE)
    ? stop
    : 0;
}

/** Whether the name of this attribute stands here, before its value. */
function isNextName(attribute: u32, name: u32, end: u32): bool {
  if (attribute === 0) return false;
  const length = load<u32>(attribute + at.ATTRIBUTE_LENGTH);
  const start = name + length + 2;
  if (start >= end || length > load<u32>(at.MOST_NAME) || load<u16>(start - 2) !== 0x223d)
    return false;
  return isSame(attribute + at.ATTRIBUTE_LOCAL, name, length);
}

/** The attribute with this name; 0 for none. */
function attributeNamed(first: u32, name: u32, length: u32): u32 {
  let attribute = first;
  while (attribute !== 0) {
    const isNamed =
      load<u32>(attribute + at.ATTRIBUTE_LENGTH) === length &&
      isSame(attribute + at.ATTRIBUTE_LOCAL, name, length);
    if (isNamed) return attribute;
    attribute = load<u32>(attribute + at.ATTRIBUTE_NEXT);
  }
  return 0;
}

/** Returns the end of an element of text, behind its end tag; 0 where it is not surely valid. */
function leafEnd(element: u32, from: u32, end: u32, name: u32, length: u32): u32 {
  const form = load<u32>(element + at.TEXT_FORM);
  const stop =
    form === at.FORM_ANY
      ? textEnd(from, end)
      : form === at.FORM_NONE
        ? from
        : formEnd(element, from, end, 0x3c);
  return stop === 0 ? 0 : endTagEnd(stop, end, name, length);
}

/** Returns the end of the end tag at `i` of an element with this name; 0 where there is none. */
function endTagEnd(i: u32, end: u32, name: u32, length: u32): u32 {
  const close = i + 2 + length;
  if (close >= end || load<u16>(i) !== 0x2f3c) return 0;
  return load<u8>(close) === 0x3e && isSame(name, i + 2, length) ? close + 1 : 0;
}

/** Whether no text is valid text of this element. */
function mayBeEmpty(element: u32): bool {
  const form = load<u32>(element + at.TEXT_FORM);
  if (form === at.FORM_ANY || form === at.FORM_NONE) return true;
  return form === at.FORM_LENGTH && load<u32>(element + at.TEXT_FIRST) === 0;
}

/** Returns the end of white space, which may lie at `end`. */
function spaceEnd(from: u32, end: u32): u32 {
  let i = from;
  while (i < end) {
    const byte = load<u8>(i);
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
    i++;
  }
  return i;
}
