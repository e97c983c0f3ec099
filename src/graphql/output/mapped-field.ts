import type { FieldRule } from '../rights/field-rule.js';
import { wrappedItem } from '../types/content.js';
import type { Member } from '../types/member.js';
import { rulesWithin } from '../types/member-rules.js';
import type { MemberTable } from '../types/members.js';
import type { TypeNames } from '../types/type-names.js';
import { isText, type OutputField, withRule } from './output-field.js';

/**
 * The field of a member with the cost and the rules that the mapping has for it. Rules are its own, that of the items
 * it is a list of, and, where it is shown as XML, those of all that its content may hold.
 */
export function mappedField(
  field: OutputField,
  member: Member,
  service: string,
  members: MemberTable,
  names: TypeNames,
): OutputField {
  if (names.mappingOf(service).isEmpty) return field;
  let ruled = withRule(field, member.mapping?.rule ?? null);
  if (member.place === 'element') {
    const { type } = member.element;
    const item = member.many ? null : wrappedItem(type, members);
    ruled = withRule(ruled, item?.mapping?.rule ?? null);
    if (ruled.shape.value.kind === 'opaque') ruled = withinXml(ruled, rulesWithin([type], members));
  }
  const { mapping } = member;
  const masks = new Set(mapping?.rule?.masks.values());
  if (mapping !== null && (masks.has('last4') || masks.has('hash')) && !isText(field.shape)) {
    const remedy = 'Mask it by `null` or `remove`; or show it as another `type`: String.';
    names.refuse(service, [...mapping.path, 'mask'], 'Only text has a part or a hash to show.', remedy);
  }
  const weight = mapping?.cost?.weight ?? null;
  return weight === null ? ruled : { ...ruled, shape: { ...ruled.shape, weight } };
}

/** What is masked within XML makes all of it null. */
function withinXml(field: OutputField, rule: FieldRule | null): OutputField {
  const { type, shape, ...about } = withRule(field, rule);
  return { type, ...about, shape: (rule?.masks.size ?? 0) === 0 ? shape : { ...shape, nonNull: false } };
}
