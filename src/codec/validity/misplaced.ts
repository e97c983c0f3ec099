import type { StartTag } from '../../xml/index.js';
import type { Frame } from './frame.js';
import type { BrokenRule } from './violation.js';

/** The finding for a child that no particle takes. It holds only names that are in the schema. */
export function describeMisplaced(parent: Frame, { uri, local }: StartTag): BrokenRule {
  const known = parent.type.automaton?.named(uri, local) ?? null;
  const next = parent.walk.expected;
  const expected = next === '' ? '' : `; expected is ${next}`;
  if (known === null) {
    return {
      rule: 'element',
      what: `is not declared here${expected}`,
      below: `/*[${parent.children}]`,
    };
  }
  const predicate = known.mayRepeat ? `[${parent.countChild(known)}]` : '';
  return {
    rule: 'element',
    what: `is not expected here${expected}`,
    below: `/${known.local}${predicate}`,
  };
}

/** The rule of an element whose content ends too early. */
export const FURTHER_ELEMENTS = 'must have further elements';

/**
 * What an element lacks whose content ends too early. It holds only names that are in the schema.
 */
export function describeMissing({ walk: { expected } }: Frame): string {
  return expected === '' ? FURTHER_ELEMENTS : `${FURTHER_ELEMENTS}: ${expected}`;
}
