import type { requestPlans } from '../../../codec/index.js';
import type { ComplexType, XsdType } from '../../../wsdl/index.js';
import { bothRules, type FieldRule } from '../rights/field-rule.js';
import { childOrder } from './child-order.js';
import type { FieldMapping } from './mapping.js';
import { type ElementMember, type Member, xmlNameOf } from './member.js';
import { fieldName } from './naming.js';
import type { ServiceNames } from './type-names.js';

/** The members of a type as its content model has them, each with its own mapping. */
type MembersOf = (type: ComplexType) => readonly Member[];

/** What a type is to have from inside its elements. */
export interface Lifted {
  /** Under the names of the mapping. */
  readonly members: readonly Member[];
  /** Paths of what was lifted, each as `a/b/c`. */
  readonly paths: ReadonlySet<string>;
}

/** How deep a path may go, and how deep an element is looked at that may be empty. */
const DEPTH_MAX = 16;

/** The members that the mapping lifts out of the elements of a type (`path` of its fields). */
export function liftedMembers(
  type: ComplexType,
  entries: readonly (readonly [string, FieldMapping])[],
  own: readonly Member[],
  names: ServiceNames,
  membersOf: MembersOf,
): Lifted {
  const members: Member[] = [];
  const paths = new Set<string>();
  const taken = new Set(own.map(xmlNameOf));
  for (const [key, mapping] of entries) {
    const path = (mapping.lift ?? []).join('/');
    const at = [...mapping.path, 'path'];
    if (taken.has(key)) {
      const what = `\`${key}\` is an element or attribute itself; a field with \`path\` has a new name.`;
      names.refuse(mapping.path, what, 'Choose another key.');
    } else if (paths.has(path)) {
      names.refuse(at, `Two fields have the path ${path}.`, 'Keep one of them.');
    } else {
      const name = mapping.name ?? fieldName(key, names.naming);
      const member = memberAt(type, { ...mapping, name }, names, membersOf);
      if (member !== null) {
        members.push(member);
        paths.add(path);
      }
    }
  }
  return { members, paths };
}

/**
 * The member at the end of a path, as one of the type at its beginning; null where it was refused.
 */
function memberAt(
  type: ComplexType,
  mapping: FieldMapping,
  names: ServiceNames,
  membersOf: MembersOf,
): Member | null {
  const steps = mapping.lift ?? [];
  const at = [...mapping.path, 'path'];
  const lift: requestPlans.LiftStep[] = [];
  let rule: FieldRule | null = mapping.rule ?? null;
  let isRequired = true;
  let owner: XsdType = type;
  for (const [index, step] of steps.entries()) {
    if (owner.kind === 'simple') {
      names.refuse(
        at,
        `\`${steps[index - 1]}\` is a simple value: nothing is inside.`,
        'End the path there.',
      );
      return null;
    }
    const members: readonly Member[] = membersOf(owner);
    const member: Member | undefined = members.find((each) => pathName(each) === step);
    if (member === undefined) {
      names.refuse(at, `There is no \`${step}\` in this path.`, null, members.map(pathName), step);
      return null;
    }
    if (member.mapping?.hidden === true) {
      names.refuse(at, `\`${step}\` is hidden by the mapping of its type.`, 'Remove `hide` there.');
      return null;
    }
    rule = bothRules(rule, member.mapping?.rule ?? null);
    if (index === steps.length - 1) return presented(member, { mapping, rule, isRequired, lift });
    if (member.kind !== 'element' || member.anyName) {
      names.refuse(at, `Nothing is inside \`${step}\`.`, 'End the path there.');
      return null;
    }
    if (member.many) {
      const what = `\`${step}\` is repeated before the end of the path.`;
      names.refuse(at, what, 'Lift the list itself, or map fields of its items.');
      return null;
    }
    isRequired &&= member.required && !member.element.nillable && member.nullable !== true;
    owner = member.element.type;
    const order = owner.kind === 'simple' ? null : childOrder(owner);
    lift.push({ name: member.element.name, ...(order === null ? {} : { order }) });
  }
  return null;
}

/** Attributes are written as `@name` in paths. */
const pathName = (member: Member): string =>
  member.kind === 'attribute' ? `@${xmlNameOf(member)}` : xmlNameOf(member);

/**
 * The member at the end as the mapping of the path shows it; what it leaves open is that of the
 * member itself.
 */
function presented(
  member: Member,
  {
    mapping: own,
    rule,
    isRequired,
    lift,
  }: {
    readonly mapping: FieldMapping;
    readonly rule: FieldRule | null;
    readonly isRequired: boolean;
    readonly lift: readonly requestPlans.LiftStep[];
  },
): Member {
  const inner = member.mapping;
  const isOwnType = own.type !== null || own.convert != null;
  const mapping: FieldMapping = {
    ...own,
    description: own.description ?? inner?.description ?? null,
    type: isOwnType ? own.type : (inner?.type ?? null),
    convert: isOwnType ? (own.convert ?? null) : (inner?.convert ?? null),
    deprecated: own.deprecated ?? inner?.deprecated ?? null,
    cost: own.cost ?? inner?.cost ?? null,
    rule,
  };
  const description = mapping.description ?? member.description;
  const nullable = own.nullable ?? member.nullable;
  const shown = { description, mapping, nullable, lift };
  if (isRequired) return { ...member, ...shown };
  if (member.kind === 'element') return { ...member, ...shown, required: false };
  if (member.kind === 'text') return { ...member, ...shown, nullable: own.nullable ?? true };
  const isOptional = own.nullable ?? true;
  return { ...member, ...shown, nullable: isOptional };
}

/** Whether all that an element may hold was lifted, so that nothing of it is left to be shown. */
export function isEmptied(
  member: ElementMember,
  paths: ReadonlySet<string>,
  membersOf: MembersOf,
): boolean {
  const stack = [{ member, path: member.element.name.local, depth: 0 }];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { type } = top.member.element;
    if (top.depth > DEPTH_MAX || top.member.many || type.kind === 'simple' || isOpen(type)) {
      return false;
    }
    for (const inner of membersOf(type)) {
      const path = `${top.path}/${pathName(inner)}`;
      if (paths.has(path) || inner.mapping?.hidden === true) continue;
      const isWay = [...paths].some((each) => each.startsWith(`${path}/`));
      if (!isWay || inner.kind !== 'element') return false;
      stack.push({ member: inner, path, depth: top.depth + 1 });
    }
  }
  return [...paths].some((each) => each.startsWith(`${member.element.name.local}/`));
}

/** Whether it may hold more than its members. */
const isOpen = (type: ComplexType): boolean =>
  type.derived.length > 0 || type.content.kind === 'opaque' || type.content.kind === 'array';

/**
 * Refuses rights and masks of a lifted field whose value an element around it shows as well: there
 * they would not hold.
 */
export function refuseOpenRights(
  lifted: readonly Member[],
  entries: readonly (readonly [string, FieldMapping])[],
  own: readonly Member[],
  names: ServiceNames,
): void {
  for (const { lift, mapping } of lifted) {
    const around = own.find(
      (member) => member.kind === 'element' && member.element.name.local === lift?.[0]?.name.local,
    );
    const isGone = around?.kind === 'element' && around.isEmptied === true;
    const entry = entries.find(([, { path }]) => path === mapping?.path)?.[1];
    if (isGone || entry?.rule == null) continue;
    const outer = lift?.[0]?.name.local ?? '';
    const what = `Rights and masks of this field would not hold for \`${outer}\`, which shows it too.`;
    names.refuse(entry.path, what, 'Write them at the field of its own type.');
  }
}
