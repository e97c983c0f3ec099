import type { ExpectedParts } from '../../../soap/index.js';
import { childrenOfBody, type Payload, typeKey } from '../../../wsdl/index.js';

/**
 * The parts of a Body that begins like one of these messages; null where each of them has one
 * child. `own` is the default.
 */
export function expectedParts(
  payloads: readonly Payload[],
  isExact: boolean,
): (own: Payload | null) => ExpectedParts | null {
  if (payloads.every(({ several }) => several === undefined)) return () => null;
  const byNames = new Map(
    payloads.map((payload) => {
      const names = childrenOfBody(payload).map(({ name }) => name);
      return [names.map(typeKey).join(' '), names] as const;
    }),
  );
  const sequences = [...byNames.values()];
  return (own) => Object.freeze({ sequences, isExact, isReadWhole: own?.several !== undefined });
}
