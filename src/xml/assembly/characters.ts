// AssemblyScript, as `skim.ts`.

/**
 * Where a reference ends, to one of the five entities or to a character; 0 when it is neither. XML
 * 1.0 section 4.1.
 */
export function referenceEnd(i: u32, end: u32): u32 {
  const word = load<u32>(i);
  // `&lt;`, `&gt;`, `&amp`, `&quo` and `&apo`, as numbers.
  if (word === 0x3b746c26 || word === 0x3b746726) return i + 4 <= end ? i + 4 : 0;
  if (word === 0x706d6126) return i + 5 <= end && load<u8>(i + 4) === 0x3b ? i + 5 : 0;
  if (word === 0x6f757126) return i + 6 <= end && load<u16>(i + 4) === 0x3b74 ? i + 6 : 0;
  if (word === 0x6f706126) return i + 6 <= end && load<u16>(i + 4) === 0x3b73 ? i + 6 : 0;
  return (word & 0xffff) === 0x2326 ? characterReferenceEnd(i + 2, end) : 0;
}

/** Behind a `&#`. No character has more than seven digits. */
function characterReferenceEnd(from: u32, end: u32): u32 {
  const isHex = load<u8>(from) === 0x78;
  const first = isHex ? from + 1 : from;
  let code: u32 = 0;
  let i = first;
  for (; i < end && i < first + 7; i++) {
    const digit: u32 = load<u8>(i) - 0x30;
    const letter: u32 = (load<u8>(i) | 0x20) - 0x61;
    if (digit < 10) code = code * (isHex ? 16 : 10) + digit;
    else if (isHex && letter < 6) code = code * 16 + letter + 10;
    else break;
  }
  return i > first && i < end && load<u8>(i) === 0x3b && isCharacter(code) ? i + 1 : 0;
}

/** Returns the end of the character beyond ASCII at `i`; 0 when there is none. */
export function characterEnd(i: u32, end: u32): u32 {
  const first: u32 = load<u8>(i);
  const second: u32 = load<u8>(i + 1);
  if (first < 0xc2 || first > 0xf4 || (second & 0xc0) !== 0x80) return 0;
  if (first < 0xe0) return i + 2 <= end ? i + 2 : 0;
  const third: u32 = load<u8>(i + 2);
  if ((third & 0xc0) !== 0x80) return 0;
  if (first < 0xf0) {
    const code = ((first & 15) << 12) | ((second & 63) << 6) | (third & 63);
    return i + 3 <= end && code >= 0x800 && isCharacter(code) ? i + 3 : 0;
  }
  const fourth: u32 = load<u8>(i + 3);
  if ((fourth & 0xc0) !== 0x80) return 0;
  const code = ((first & 7) << 18) | ((second & 63) << 12) | ((third & 63) << 6) | (fourth & 63);
  return i + 4 <= end && code >= 0x10000 && isCharacter(code) ? i + 4 : 0;
}

/** XML 1.0 section 2.2. */
function isCharacter(code: u32): bool {
  if (code < 0x20) return code === 0x9 || code === 0xa || code === 0xd;
  return code < 0xd800 || (code > 0xdfff && code < 0xfffe) || (code > 0xffff && code < 0x110000);
}
