import type { Wildcard } from '../../wsdl/model.js';
import type { QName } from '../../xml/events.js';
import type { ObjectVariant, SlotSource } from '../plan/plan.js';
import { LexicalError, type Scalar, type ScalarValue } from '../plan/scalar.js';

/** The names of the elements that fill a slot; [] where it is not filled by name. */
export function namesOf(source: SlotSource): readonly QName[] {
  if (source.from === 'group') return source.group.names;
  return source.from === 'child' || source.from === 'wrapped list' ? [source.name] : [];
}

/** The wildcards of an object's content model: those of the first slot that has any, for all have the same. */
export function wildcardsOf({ slots }: ObjectVariant): readonly Wildcard[] {
  for (const { source } of slots) if ('wildcards' in source && source.wildcards !== undefined) return source.wildcards;
  return [];
}

/** The decoded default of a slot, or its constant; null where it has none. */
export function fallbackOf(source: SlotSource, scalar: Scalar | null): ScalarValue | null {
  if (source.from === 'withheld') return source.isForbidden;
  const lexical = source.from === 'constant' ? source.value : 'default' in source ? source.default : null;
  if (lexical === null || scalar === null) return null;
  try {
    return scalar.decode(lexical);
  } catch (caught) {
    if (caught instanceof LexicalError) return null;
    throw caught;
  }
}
