import type { Wildcard } from '../../wsdl/model.js';
import type { QName } from '../../xml/events.js';
import type { ObjectVariant, SlotSource } from '../plan/plan.js';

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
