import type { StartTag } from '../../xml/events.js';
import type { Frame } from './frame.js';
import type { Trouble } from './violation.js';

/** What to tell of a child that no particle takes. Only names that the schema has are told. */
export function misplaced(parent: Frame, { uri, local }: StartTag): Trouble {
  const known = parent.type.automaton?.named(uri, local) ?? null;
  const { expected } = parent.walk;
  if (known === null) {
    return { rule: 'element', what: `is not declared here${expected}`, below: `/*[${parent.children}]` };
  }
  const place = known.repeats ? `[${parent.placeOf(known)}]` : '';
  return { rule: 'element', what: `is not expected here${expected}`, below: `/${known.local}${place}` };
}
