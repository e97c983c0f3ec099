import type { ComplexType, ElementDeclaration, Particle } from '../../wsdl/index.js';
import { escapeQuoted, type QName } from '../../xml/index.js';
import { isSameName } from '../plan/content-events.js';
import type { LiftedMember } from '../plan/lift-step.js';
import type { BranchRule, EncodeElement, EncodeObject, EncodeValue } from '../plan/plan.js';
import type { RequestPlan } from '../plan/request-plan.js';
import type { Scalar } from '../plan/scalar.js';
import { ExampleWriter } from './example-content.js';
import { exampleValue } from './example-value.js';

/** Objects in one another; deeper, nothing is given. */
const DEPTH_MAX = 16;
/** Objects in one another with elements that may be nil. */
const NILLABLE_DEPTH = 2;
/** Items of a list that demands more. */
const ITEMS_MAX = 100;

/** A member of an example; undefined: any value of its GraphQL type will do. */
export type ExampleMember =
  | string
  | number
  | boolean
  | readonly ExampleMember[]
  | ExampleObject
  | undefined;
export interface ExampleObject {
  readonly [key: string]: ExampleMember;
}

/**
 * The arguments that a request needs, valid by its schema; those of header blocks are members of
 * `headersArgument`.
 */
export function exampleInput(
  { body, headers }: RequestPlan,
  declaration: ElementDeclaration | null,
  headersArgument: string | null,
): ExampleObject {
  const found = body === null ? {} : objectOf(body.value, body.name, declaration, 0);
  const blocks = membersOf(headers, () => null, 0);
  const hasBlocks = headersArgument !== null && Object.keys(blocks).length > 0;
  return hasBlocks ? { ...found, [headersArgument]: blocks } : found;
}

const isMembers = (value: ExampleMember): value is ExampleObject =>
  typeof value === 'object' && !Array.isArray(value);

type Declarations = (name: QName) => ElementDeclaration | null;

function objectOf(
  plan: EncodeObject,
  name: QName | null,
  declaration: ElementDeclaration | null,
  depth: number,
): ExampleObject {
  const made: Record<string, ExampleMember> = Object.create(null);
  if (depth > DEPTH_MAX) return made;
  for (const { key, required, fixed, source, scalar } of plan.attributes) {
    if (required && fixed === null && source === undefined) {
      made[key] = scalarOf(scalar);
    }
  }
  if (plan.text !== null) {
    made[plan.text.key] = scalarOf(plan.text.scalar);
  }
  if (plan.xml !== undefined) {
    made[plan.xml] = xmlOf(name, declaration);
  }
  if (plan.any !== undefined) {
    Object.assign(made, ANY_TEXT);
  }
  if (plan.variant !== undefined) {
    made[plan.variant.key] = memberOf(plan.variant.value, name, null, depth + 1);
  }
  const type = declaration?.type.kind === 'complex' ? declaration.type : null;
  const chosen = new Set([
    ...plan.choices.flatMap((keys) => keys.slice(0, 1)),
    ...chosenOf(plan.branches ?? []),
  ]);
  const children = plan.children.filter((each) => chosen.has(each.key) || isNeeded(each, depth));
  const members = membersOf(children, (child) => childOf(type, child), depth);
  return liftedOut(plan.lifts ?? [], Object.assign(made, members));
}

/** The example with the values of lifted members above the elements around them. */
function liftedOut(lifts: readonly LiftedMember[], made: ExampleObject): ExampleObject {
  let shown = made;
  for (const { key, steps } of lifts) {
    const [rest, value] = takenOut(shown, steps);
    shown = value === undefined ? rest : { ...rest, [key]: value };
  }
  return shown;
}

/** The object without the value at these steps, and that value. Objects that are empty then go. */
function takenOut(
  object: ExampleObject,
  [step = '', ...rest]: readonly string[],
): readonly [ExampleObject, ExampleMember] {
  const { [step]: inner, ...others } = object;
  if (rest.length === 0) return [others, inner];
  if (!isMembers(inner)) return [object, undefined];
  const [left, value] = takenOut(inner, rest);
  return [Object.keys(left).length === 0 ? others : { ...others, [step]: left }, value];
}

/**
 * Nothing but a value will do; of what may be nil, only what is near is given: it may hold itself.
 */
const isNeeded = ({ required, nillable, always }: EncodeElement, depth: number): boolean =>
  always === true || (required && (!nillable || depth < NILLABLE_DEPTH));

function membersOf(
  elements: readonly EncodeElement[],
  declared: Declarations,
  depth: number,
): ExampleObject {
  const made: Record<string, ExampleMember> = Object.create(null);
  for (const element of elements) {
    if (element.fixed !== null || element.source !== undefined) continue;
    const value = elementOf(element, declared(element.name), depth);
    const isEmpty =
      element.always === true && typeof value === 'object' && Object.keys(value).length === 0;
    if (!isEmpty) {
      made[element.key] = value;
    }
  }
  return made;
}

function elementOf(
  element: EncodeElement,
  declaration: ElementDeclaration | null,
  depth: number,
): ExampleMember {
  const { occurs, counts, value, name, wildcards } = element;
  const isItem = typeof occurs === 'object';
  const own = isItem
    ? childOf(declaration?.type.kind === 'complex' ? declaration.type : null, occurs.wrapped)
    : declaration;
  const used = isItem ? occurs.wrapped : name;
  const item =
    element.transparent === true && wildcards !== undefined
      ? wildcardOf(value, { uri: uriOf(wildcards), local: 'example' }, depth)
      : memberOf(value, used, own, depth + 1);
  if (occurs === 'one') return item;
  const count = Math.min(Math.max(counts?.min ?? 1, 1), ITEMS_MAX);
  return Array.from({ length: count }, () => item);
}

const ANY_TEXT: ExampleObject = { type: 'string', value: 'text' };

/** An element of any name. */
function wildcardOf(value: EncodeValue, name: QName, depth: number): ExampleMember {
  if (value.kind === 'any') return { name: `{${name.uri}}${name.local}`, ...ANY_TEXT };
  return value.kind === 'xml' ? xmlOf(name, null) : memberOf(value, name, null, depth + 1);
}

function memberOf(
  value: EncodeValue,
  name: QName | null,
  declaration: ElementDeclaration | null,
  depth: number,
): ExampleMember {
  if (value.kind === 'scalar') return scalarOf(value.scalar);
  if (value.kind === 'object') return objectOf(value, name, declaration, depth);
  if (value.kind === 'xml') return xmlOf(name, declaration);
  if (value.kind === 'any') return ANY_TEXT;
  if (value.kind === 'array') return [memberOf(value.item, null, null, depth + 1)];
  const [first] = value.members;
  if (first === undefined || depth > DEPTH_MAX) return {};
  return { [first[0]]: memberOf(first[1].value, null, null, depth + 1) };
}

/** Undefined for a type without rules of its own. */
function scalarOf({ type, isReference, decode, example }: Scalar): ExampleMember {
  if (example !== undefined) return example;
  if (type === undefined || isReference === true) return undefined;
  try {
    const value = decode(exampleValue(type));
    return value !== null && typeof value === 'object'
      ? value.map((item) => item ?? undefined)
      : (value ?? undefined);
  } catch {
    return undefined;
  }
}

/** The element as its schema wants it; without a declaration one without content. */
function xmlOf(name: QName | null, declaration: ElementDeclaration | null): string {
  if (declaration !== null) return new ExampleWriter().root(declaration);
  if (name === null) return '<example/>';
  return name.uri === ''
    ? `<${name.local}/>`
    : `<n:${name.local} xmlns:n="${escapeQuoted(name.uri)}"/>`;
}

const uriOf = (wildcards: NonNullable<EncodeElement['wildcards']>): string => {
  const [first] = wildcards;
  if (first === undefined || first.namespaces.kind !== 'only') return 'urn:example';
  return first.namespaces.uris[0] ?? '';
};

/** Members that meet the rules: of each choice the first branch with all that it requires. */
function chosenOf(rules: readonly BranchRule[]): readonly string[] {
  const keys: string[] = [];
  const left = rules.filter(({ required }) => required);
  for (let rule = left.pop(); rule !== undefined; rule = left.pop()) {
    const [branch] = rule.branches;
    if (branch === undefined) continue;
    keys.push(...(branch.required.length > 0 ? branch.required : branch.keys.slice(0, 1)));
    left.push(...branch.rules.filter(({ required }) => required));
  }
  return keys;
}

/** The first child of that name in a content model. */
function childOf(type: ComplexType | null, name: QName): ElementDeclaration | null {
  const { content } = type ?? { content: { kind: 'empty' } as const };
  const root =
    content.kind === 'elements'
      ? content.particle
      : content.kind === 'opaque'
        ? content.mixed?.particle
        : null;
  const left: Particle[] = root == null ? [] : [root];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (next.kind === 'one' && isSameName(next.element.name, name)) return next.element;
    if ('particles' in next) {
      left.push(...next.particles.toReversed());
    }
  }
  return null;
}
