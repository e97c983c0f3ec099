/**
 * Runs what takes a message in pieces: whole, byte by byte, and cut in two at every place. All must
 * come out alike.
 */
export function assertSplitsAgree<T>(
  message: Uint8Array,
  run: (pieces: readonly Uint8Array[]) => T,
): T {
  const whole = run([message]);
  const expected = JSON.stringify(whole);
  for (const [how, pieces] of splitsOf(message)) {
    const outcome = JSON.stringify(run(pieces));
    if (outcome !== expected) throw new Error(`${how}: ${outcome}\nwhole: ${expected}`);
  }
  return whole;
}

/** Byte by byte, with empty pieces between, and every cut into two. */
export function* splitsOf(
  message: Uint8Array,
): Generator<readonly [string, readonly Uint8Array[]]> {
  const bytes = Array.from(message, (byte) => Uint8Array.of(byte));
  yield ['byte by byte', bytes];
  yield ['with empty pieces', bytes.flatMap((byte) => [byte, new Uint8Array(0)])];
  for (let at = 1; at < message.length; at++) {
    yield [`cut at ${at}`, [message.subarray(0, at), message.subarray(at)]];
  }
}

/** The message cut at the given places, in any order, each taken modulo its length. */
export function cutAt(message: Uint8Array, places: readonly number[]): readonly Uint8Array[] {
  const length = message.length + 1;
  const sorted = places.map((place) => place % length).sort((a, b) => a - b);
  return [0, ...sorted].map((from, index) =>
    message.subarray(from, sorted[index] ?? message.length),
  );
}
