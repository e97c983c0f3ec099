import { getNullableType } from 'graphql';
import type { requestPlans } from '../../../codec/index.js';
import type { ElementDeclaration } from '../../../wsdl/index.js';
import { wrappedItem } from '../types/content.js';
import type { Member } from '../types/member.js';
import type { MemberTable } from '../types/members.js';
import { fieldName, type NameScope } from '../types/naming.js';
import type { ServiceNames } from '../types/type-names.js';
import {
  type InputMapping,
  type InputMappings,
  type MovedInput,
  withMoved,
} from './input-mapping.js';
import type { InputField } from './shown-input.js';

/** A value that callers give above the elements that it is written in. */
interface LiftedInput {
  /** The name in GraphQL. */
  readonly name: string;
  readonly moved: MovedInput;
}

/** The lifts of an object: those of its type, and those of the mapping of an operation. */
interface ObjectLifts {
  readonly lifts: readonly LiftedInput[];
  /** The mappings within, with the places where the values are written. */
  readonly mappings: InputMappings;
}

/**
 * Finds what is lifted in an object. `mappings` are those of the operation, `lifted` the members of
 * the type that are lifted, `known` the XML names that it has itself.
 */
export function liftsOf(
  mappings: InputMappings,
  lifted: readonly Member[],
  known: readonly string[],
  names: ServiceNames,
): ObjectLifts {
  const entries = [...mappings].filter(([, { lift }]) => lift !== null);
  if (entries.length === 0 && lifted.length === 0) return { lifts: [], mappings };
  const lifts: LiftedInput[] = [];
  let all: InputMappings = new Map([...mappings].filter(([, { lift }]) => lift === null));
  const add = (name: string, moved: MovedInput): void => {
    const added = withMoved(all, moved);
    if (added === null) {
      const what = `Another value has the path ${moved.steps.join('/')}.`;
      names.refuse(moved.path, what, 'Keep one of them.');
      return;
    }
    all = added;
    lifts.push({ name, moved });
  };
  for (const member of lifted) {
    const path = [...(member.mapping?.path ?? []), 'path'];
    const steps = [...(member.lift ?? []).map((step) => step.name.local), lastStep(member)];
    add(member.name, { member, convert: null, steps, path, field: null, isItem: false });
  }
  for (const [key, { name, lift, convert, path: at }] of entries) {
    if (known.includes(key)) {
      const what = `\`${key}\` is an argument itself; one with \`path\` has a new name.`;
      names.refuse(at, what, 'Choose another key.');
      continue;
    }
    const path = [...at, 'path'];
    const moved = { member: null, convert, steps: lift ?? [], path, field: null, isItem: false };
    add(name ?? fieldName(key, names.naming), moved);
  }
  return { lifts, mappings: all };
}

function lastStep(member: Member): string {
  if (member.kind === 'text') return 'value';
  return member.kind === 'element' ? member.element.name.local : `@${member.attribute.name.local}`;
}

/** An object that is being filled. */
interface Filled {
  readonly fields: Map<string, InputField>;
  readonly plan: requestPlans.EncodeObject & { lifts?: readonly requestPlans.LiftedMember[] };
}

/**
 * Adds the fields of lifted values to an object that was filled, and the way of each to its plan.
 */
export function addLifted(
  lifts: readonly LiftedInput[],
  { fields, plan }: Filled,
  scope: NameScope,
  names: ServiceNames,
): void {
  const added: requestPlans.LiftedMember[] = [];
  for (const { name, moved } of lifts) {
    const way = wayTo(plan, moved.isItem ? moved.steps.slice(0, -1) : moved.steps);
    if (moved.field === null || way === null) continue;
    const isOfType = moved.member !== null;
    if (!isOfType && scope.has(name)) {
      names.refuse(moved.path.slice(0, -1), `There is another argument ${name} here.`);
    }
    const key = isOfType ? name : scope.take(name);
    const { defaultValue, ...field } = moved.field;
    fields.set(key, {
      ...field,
      ...(way.isRequired && defaultValue !== undefined ? { defaultValue } : {}),
      type: way.isRequired ? field.type : getNullableType(field.type),
      description: moved.member?.description ?? field.description,
    });
    added.push({ key, steps: way.keys, writesNull: way.writesNull });
  }
  if (added.length > 0) {
    plan.lifts = added;
  }
}

interface Way {
  readonly keys: readonly string[];
  /** All elements around the value are always written. */
  readonly isRequired: boolean;
  readonly writesNull: boolean;
}

/** The keys of the plan along these XML names; null where they lead nowhere, which was refused. */
function wayTo(plan: requestPlans.EncodeObject, steps: readonly string[]): Way | null {
  const keys: string[] = [];
  let object = plan;
  let isRequired = true;
  for (const step of steps.slice(0, -1)) {
    const element = object.children.find((each) => each.name.local === step);
    if (element?.value.kind !== 'object') return null;
    keys.push(element.key);
    isRequired &&= element.required && !element.nillable;
    object = element.value;
  }
  const last = steps.at(-1) ?? '';
  const child = object.children.find((each) => each.name.local === last);
  const attribute = object.attributes.find((each) => `@${each.name.local}` === last);
  const leaf = child ?? attribute ?? object.text;
  if (leaf === null) return null;
  const writesNull =
    child === undefined
      ? 'scalar' in leaf && leaf.scalar.nullText !== undefined
      : child.nillable ||
        (child.value.kind === 'scalar' && child.value.scalar.nullText !== undefined);
  return { keys: [...keys, leaf.key], isRequired, writesNull };
}

/**
 * The value that is given elsewhere, where an element has it: itself, or as the list around its
 * items.
 */
export function movedAt(
  mapping: InputMapping,
  { element, max }: { readonly element: ElementDeclaration; readonly max: number },
  members: MemberTable,
): { readonly moved: MovedInput | null; readonly at: InputMapping } {
  const item = max > 1 ? null : wrappedItem(element.type, members);
  const inner = item === null ? undefined : mapping.inner.get(item.element.name.local);
  if (mapping.moved !== null || inner?.moved == null) return { moved: mapping.moved, at: mapping };
  inner.moved.isItem = true;
  return { moved: inner.moved, at: inner };
}
