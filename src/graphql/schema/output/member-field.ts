import { type ComplexType, typeKey, type XsdType } from '../../../wsdl/index.js';
import type { FieldRule } from '../rights/field-rule.js';
import { wrappedItem } from '../types/content.js';
import type { Member } from '../types/member.js';
import { rulesWithin } from '../types/member-rules.js';
import type { MemberTable } from '../types/members.js';
import { derivedFrom } from '../types/reach.js';
import type { ElementShape, ObjectShape } from '../types/shape.js';
import type { ServiceNames } from '../types/type-names.js';
import { isText, lazily, type OutputField, withRule } from './output-field.js';

/** The type of the value of a member; of a list in a wrapper, that of its items. */
export function valueTypeOf(member: Member, members: MemberTable): XsdType {
  if (member.kind === 'text') return member.type;
  if (member.kind === 'attribute') return member.attribute.type;
  const { type } = member.element;
  return (member.many ? null : wrappedItem(type, members))?.element.type ?? type;
}

/**
 * The shape of an element of this type, whose xsi:type may name a derived one where there are any.
 */
export function elementShape(
  type: ComplexType,
  hasVariants: boolean,
  shapeOf: (type: ComplexType) => ObjectShape,
): ElementShape {
  if (!hasVariants) return { declared: shapeOf(type), variants: new Map() };
  const declared = type.abstract ? null : shapeOf(type);
  const variants = lazily(() => {
    const concrete = [type, ...derivedFrom(type)].filter((candidate) => !candidate.abstract);
    return new Map(
      concrete.flatMap((candidate): [string, ObjectShape][] =>
        candidate.name === null ? [] : [[typeKey(candidate.name), shapeOf(candidate)]],
      ),
    );
  });
  return {
    declared,
    get variants() {
      return variants();
    },
  };
}

/**
 * The field of a member with the cost and the rules that the mapping has for it. Rules are its own,
 * that of the items it is a list of, and, where it is shown as XML, those of all that its content
 * may hold.
 */
export function mappedField(
  field: OutputField,
  member: Member,
  members: MemberTable,
  names: ServiceNames,
): OutputField {
  if (names.mapping.isEmpty) return field;
  let ruled = withRule(field, member.mapping?.rule ?? null);
  if (member.kind === 'element') {
    const { type } = member.element;
    const item = member.many ? null : wrappedItem(type, members);
    ruled = withRule(ruled, item?.mapping?.rule ?? null);
    if (ruled.shape.value.kind === 'opaque') {
      ruled = withinXml(ruled, rulesWithin([type], members));
    }
  }
  const { mapping } = member;
  const masks = new Set(mapping?.rule?.masks.values());
  if (mapping !== null && (masks.has('last4') || masks.has('hash')) && !isText(field.shape)) {
    const remedy =
      mapping.convert == null
        ? 'Mask it by `null` or `remove`; or show it as another `type`: String.'
        : 'Mask it by `null` or `remove`, or remove `convert`.';
    names.refuse([...mapping.path, 'mask'], 'Only text has a part or a hash to show.', remedy);
  }
  const weight = mapping?.cost?.weight ?? null;
  return weight === null ? ruled : { ...ruled, shape: { ...ruled.shape, weight } };
}

/** What is masked within XML makes all of it null. */
function withinXml(field: OutputField, rule: FieldRule | null): OutputField {
  const { type, shape, ...about } = withRule(field, rule);
  return {
    type,
    ...about,
    shape: (rule?.masks.size ?? 0) === 0 ? shape : { ...shape, nonNull: false },
  };
}
