import type { ComplexType, ElementDeclaration, Particle } from '../../wsdl/index.js';
import { escapeQuoted, type QName } from '../../xml/index.js';
import type { AnyType } from '../plan/any-types.js';
import type { LiftedMember } from '../plan/lift-step.js';
import { isSameName } from '../plan/request/content-events.js';
import type { EncodeElement, EncodeObject, EncodeValue } from '../plan/request/encode-plan.js';
import type { RequestPlan } from '../plan/request/request-plan.js';
import type { Scalar } from '../plan/scalar.js';
import { parseQualifiedName } from '../values/qualified-name.js';
import { distinctValue, ValueCounts } from './distinct-values.js';
import { ExampleWriter } from './example-content.js';
import { exampleValue } from './example-value.js';
import { Heights, heightOfBranch } from './heights.js';
import { SCALAR_EXAMPLES } from './scalar-examples.js';

/** Objects in one another; deeper, nothing is given. */
const DEPTH_MAX = 16;
/** Objects in one another with elements that may be nil. */
const NILLABLE_DEPTH = 2;
/** Levels at which the first branch of a choice is taken, whatever it holds. */
const FREE_DEPTH = 2;
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
  const found =
    body === null ? {} : new Examples(body.value).object(body.value, body.name, declaration, 0);
  const block: EncodeObject = { ...NOTHING, children: headers };
  const blocks = new Examples(block).members(headers, () => null, 0);
  const hasBlocks = headersArgument !== null && Object.keys(blocks).length > 0;
  return hasBlocks ? { ...found, [headersArgument]: blocks } : found;
}

const NOTHING: EncodeObject = {
  kind: 'object',
  attributes: [],
  text: null,
  children: [],
  choices: [],
};

type Declarations = (name: QName) => ElementDeclaration | null;

/** Makes up values for a plan. */
class Examples {
  readonly #heights: Heights;
  /** Values that the innermost element with keys has so far; null outside such elements. */
  #keyed: ValueCounts | null = null;

  constructor(root: EncodeValue) {
    this.#heights = new Heights(root);
  }

  object(
    plan: EncodeObject,
    name: QName | null,
    declaration: ElementDeclaration | null,
    depth: number,
  ): ExampleObject {
    return this.#within(declaration, () => this.#object(plan, name, declaration, depth));
  }

  /** Values inside an element that has keys are counted for it. */
  #within<T>(declaration: ElementDeclaration | null, make: () => T): T {
    if (declaration === null || declaration.constraints.length === 0) return make();
    const outer = this.#keyed;
    this.#keyed = new ValueCounts();
    const made = make();
    this.#keyed = outer;
    return made;
  }

  #object(
    plan: EncodeObject,
    name: QName | null,
    declaration: ElementDeclaration | null,
    depth: number,
  ): ExampleObject {
    const made: Record<string, ExampleMember> = Object.create(null);
    if (depth > DEPTH_MAX) return made;
    for (const attribute of plan.attributes) {
      const { key, required, fixed, source, scalar } = attribute;
      if (required && fixed === null && source === undefined) {
        made[key] = this.#scalar(scalar, attribute);
      }
    }
    if (plan.text !== null) {
      made[plan.text.key] = this.#scalar(plan.text.scalar, plan.text);
    }
    if (plan.xml !== undefined) {
      made[plan.xml] = xmlOf(name, declaration);
    }
    if (plan.any !== undefined) {
      Object.assign(made, anyOf(plan.any));
    }
    if (plan.variant !== undefined) {
      made[plan.variant.key] = this.#value(plan.variant.value, name, null, depth + 1);
    }
    const type = declaration?.type.kind === 'complex' ? declaration.type : null;
    const chosen = this.#chosen(plan, type, depth);
    const children = plan.children.filter((each) => chosen.has(each.key) || isNeeded(each, depth));
    const members = this.members(children, (child) => childOf(type, child), depth);
    return liftedOut(plan.lifts ?? [], Object.assign(made, members));
  }

  members(
    elements: readonly EncodeElement[],
    declared: Declarations,
    depth: number,
  ): ExampleObject {
    const made: Record<string, ExampleMember> = Object.create(null);
    for (const element of elements) {
      if (element.fixed !== null || element.source !== undefined) continue;
      const declaration = declared(element.name);
      const value = this.#within(declaration, () => this.#element(element, declaration, depth));
      const isEmpty =
        element.always === true && typeof value === 'object' && Object.keys(value).length === 0;
      if (!isEmpty) {
        made[element.key] = value;
      }
    }
    return made;
  }

  #element(
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
    const make = (): ExampleMember =>
      element.transparent === true && wildcards !== undefined
        ? this.#wildcard(value, { uri: uriOf(wildcards), local: 'example' }, depth)
        : this.#value(value, used, own, depth + 1);
    if (occurs === 'one') return make();
    const count = Math.min(Math.max(counts?.min ?? 1, 1), ITEMS_MAX);
    if (this.#keyed !== null) return Array.from({ length: count }, make);
    const item = make();
    return Array.from({ length: count }, () => item);
  }

  /** A value that differs from earlier ones of this declaration, where keys may be of them. */
  #scalar(scalar: Scalar, declaration: object): ExampleMember {
    return scalarOf(scalar, this.#keyed === null ? 0 : this.#keyed.next(declaration));
  }

  /** An element of any name. */
  #wildcard(value: EncodeValue, name: QName, depth: number): ExampleMember {
    if (value.kind === 'any') return { name: `{${name.uri}}${name.local}`, ...ANY_TEXT };
    return value.kind === 'xml' ? xmlOf(name, null) : this.#value(value, name, null, depth + 1);
  }

  #value(
    value: EncodeValue,
    name: QName | null,
    declaration: ElementDeclaration | null,
    depth: number,
  ): ExampleMember {
    if (value.kind === 'scalar') return this.#scalar(value.scalar, value);
    if (value.kind === 'object') return this.object(value, name, declaration, depth);
    if (value.kind === 'xml') return xmlOf(name, declaration);
    if (value.kind === 'any') return anyOf(value);
    if (value.kind === 'array') return [this.#value(value.item, null, null, depth + 1)];
    const members = [...value.members];
    const [first] = members;
    if (first === undefined || depth > DEPTH_MAX) return {};
    const [key, variant] = this.#first(members, ([, each]) => this.#heights.of(each.value), depth);
    return { [key]: this.#value(variant.value, null, null, depth + 1) };
  }

  /** The members that are given, one of each choice and of each rule of branches. */
  #chosen(
    { choices, branches = [], children }: EncodeObject,
    type: ComplexType | null,
    depth: number,
  ): ReadonlySet<string> {
    if (choices.length === 0 && branches.length === 0) return new Set();
    const byKey = new Map(children.map((each) => [each.key, each]));
    const heightOf = (key: string): number => {
      const child = byKey.get(key);
      if (child === undefined) return 0;
      const isAbstract = childOf(type, child.name)?.abstract === true;
      return isAbstract ? Number.POSITIVE_INFINITY : this.#heights.of(child.value);
    };
    const keys = choices.map((each) => this.#first(each, heightOf, depth));
    const left = branches.filter(({ required }) => required);
    for (let rule = left.pop(); rule !== undefined; rule = left.pop()) {
      if (rule.branches.length === 0) continue;
      const branch = this.#first(rule.branches, (each) => heightOfBranch(each, heightOf), depth);
      keys.push(...(branch.required.length > 0 ? branch.required : branch.keys.slice(0, 1)));
      left.push(...branch.rules.filter(({ required }) => required));
    }
    return new Set(keys);
  }

  /** Near the top the first that has an end, further down the lowest: so every value ends. */
  #first<T>(of: readonly T[], heightOf: (each: T) => number, depth: number): T {
    const [first] = of;
    if (first === undefined) throw new Error('a choice without a branch');
    const heights = of.map(heightOf);
    const lowest = Math.min(...heights);
    const wanted = heights.findIndex((height) =>
      depth < FREE_DEPTH ? Number.isFinite(height) : height === lowest,
    );
    return of[wanted] ?? first;
  }
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

const isMembers = (value: ExampleMember): value is ExampleObject =>
  typeof value === 'object' && !Array.isArray(value);

/**
 * Nothing but a value will do; of what may be nil, only what is near is given: it may hold itself.
 */
const isNeeded = ({ required, nillable, always }: EncodeElement, depth: number): boolean =>
  always === true || (required && (!nillable || depth < NILLABLE_DEPTH));

const ANY_TEXT: ExampleObject = { type: 'string', value: 'text' };

/** A value of any type, or of the first of its family whose content is known. */
function anyOf({ family, types }: Extract<EncodeValue, { readonly kind: 'any' }>): ExampleObject {
  if (family === undefined) return ANY_TEXT;
  for (const key of family.types) {
    const name = parseQualifiedName(key) ?? { uri: '', local: key };
    const type = types.named(name);
    if (type === null || (type.kind === 'object' && type.isAbstract === true)) continue;
    return { type: key, value: jsonOf(type, 0) };
  }
  return ANY_TEXT;
}

function jsonOf(type: AnyType | null, depth: number): ExampleMember {
  if (type === null || depth > DEPTH_MAX) return 'text';
  if (type.kind === 'simple') return scalarOf(type.scalar) ?? SCALAR_EXAMPLES.get(type.scalar.name);
  if (type.kind === 'list') return [jsonOf(type.item.type(), depth + 1)];
  const required = [...type.members].filter(([, { isRequired }]) => isRequired);
  return Object.fromEntries(
    required.map(([key, member]) => {
      const value = jsonOf(member.type(), depth + 1);
      return [key, member.isMany ? [value] : value];
    }),
  );
}

/** The `index`-th value; undefined for a type without rules of its own. */
function scalarOf({ type, isReference, decode, example }: Scalar, index = 0): ExampleMember {
  if (example !== undefined) return example;
  if (type === undefined || isReference === true) return undefined;
  try {
    const value = decode(distinctValue(type, exampleValue(type), index));
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
