// AssemblyScript, as `skim.ts`.
import { AMPERSANDS, GREATERS } from './names-and-texts';

const RETURNS = memory.data<u8>(
  [13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13],
  16,
);

/**
 * Whether valid text between these addresses is canonical as it stands (Canonical XML 1.0 section
 * 2.3): no `>`, no carriage return, and of references those to `&`, `<` and `>` alone.
 */
export function isCanonicalText(from: u32, to: u32): bool {
  for (let base = from; base < to; base += 16) {
    const bytes = v128.load(base);
    const stops = v128.or(
      v128.eq<u8>(bytes, v128.load(GREATERS)),
      v128.or(v128.eq<u8>(bytes, v128.load(AMPERSANDS)), v128.eq<u8>(bytes, v128.load(RETURNS))),
    );
    let left = within(i8x16.bitmask(stops), to - base);
    for (; left !== 0; left &= left - 1) {
      const word = load<u32>(base + ctz(left));
      // `&amp`, `&lt;` and `&gt;`, as numbers.
      if (word !== 0x706d6126 && word !== 0x3b746c26 && word !== 0x3b746726) return false;
    }
  }
  return true;
}

/** Whether a valid value is: of references those to `&`, `<` and `"` alone. */
export function isCanonicalValue(from: u32, to: u32): bool {
  for (let base = from; base < to; base += 16) {
    const stops = v128.eq<u8>(v128.load(base), v128.load(AMPERSANDS));
    let left = within(i8x16.bitmask(stops), to - base);
    for (; left !== 0; left &= left - 1) {
      const word = load<u32>(base + ctz(left));
      // `&amp`, `&lt;` and `&quo`.
      if (word !== 0x706d6126 && word !== 0x3b746c26 && word !== 0x6f757126) return false;
    }
  }
  return true;
}

/** The bits of the first bytes. */
function within(bits: i32, bytes: u32): i32 {
  return bytes < 16 ? bits & ((1 << bytes) - 1) : bits;
}

export function isWhite(from: u32, to: u32): bool {
  for (let i = from; i < to; i++) if (load<u8>(i) > 0x20) return false;
  return true;
}

/** Whether a name is less than another one, byte by byte. */
export function isBefore(one: u32, oneBytes: u32, other: u32, otherBytes: u32): bool {
  for (let k: u32 = 0; k < oneBytes && k < otherBytes; k++) {
    const first = load<u8>(one + k);
    const second = load<u8>(other + k);
    if (first !== second) return first < second;
  }
  return oneBytes < otherBytes;
}
