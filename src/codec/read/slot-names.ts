import type { Wildcard } from '../../wsdl/model.js';
import type { QName } from '../../xml/events.js';
import type { ObjectVariant, SlotSource } from '../plan/plan.js';

/** The elements that fill a slot, by whose names alone it is known. */
export function namesOf(source: SlotSource): readonly QName[] {
  if (source.from === 'group') return source.group.names;
  return source.from === 'child' || source.from === 'wrapped list' ? [source.name] : [];
}

/** All slots of one object say the same, where they say something. */
export function besideOf({ slots }: ObjectVariant): readonly Wildcard[] {
  for (const { source } of slots) if ('beside' in source && source.beside !== undefined) return source.beside;
  return [];
}
