import {
  type GraphQLArgumentConfig,
  type GraphQLInputField,
  type GraphQLLeafType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isListType,
} from 'graphql';
import {
  type Decoded,
  type FieldSlot,
  type ReplyPlan,
  replyPlans,
  type requestPlans,
} from '../../../codec/index.js';
import { type eventBus, isRecord } from '../../../core/index.js';
import type { CallTarget } from '../feeds/feed.js';
import { bothRules, type FieldRule, ruleOf } from '../rights/field-rule.js';
import { isFieldOwner } from '../types/field-owner.js';
import { fieldPosition, SINGLE } from '../types/plain-shape.js';
import type { ElementShape, FieldShape, ReplyRoot } from '../types/shape.js';
import type { ValueReading } from './subscription.js';

/** A value of a message that a path leads to. */
export interface EventValue {
  /** As written: `reply.orderID`. */
  readonly path: string;
  /** From the child of Body to the value. */
  readonly steps: readonly FieldShape[];
  readonly type: GraphQLLeafType;
  readonly list: boolean;
  /** The rule that joins those of all steps; null without any. */
  readonly rule: FieldRule | null;
}

/** Why a path leads nowhere. */
export interface LostPath {
  readonly what: string;
  readonly unknown: { readonly name: string; readonly known: readonly string[] } | null;
}

/**
 * The value that a path names, `request` or `reply` and the GraphQL names of arguments or fields,
 * in the messages of an operation.
 */
export function eventValueOf(path: string, target: CallTarget): EventValue | LostPath {
  const [side = '', ...steps] = path.split('.');
  return side === 'request' ? requestValue(path, steps, target) : replyValue(path, steps, target);
}

export const isLostPath = (value: EventValue | LostPath): value is LostPath => 'what' in value;

function requestValue(
  path: string,
  steps: readonly string[],
  { config, bound }: CallTarget,
): EventValue | LostPath {
  const shapes: FieldShape[] = [];
  let fields: Readonly<Record<string, GraphQLArgumentConfig | GraphQLInputField>> =
    config.args ?? {};
  let rule: FieldRule | null = null;
  let owner: requestPlans.EncodeObject | null = bound.requestPlan.body?.value ?? null;
  for (const [at, step] of steps.entries()) {
    const known = Object.keys(fields).filter((name) => placesOf(owner, name).length > 0);
    const field = Object.hasOwn(fields, step) ? fields[step] : undefined;
    const places = placesOf(owner, step);
    const place = places.at(-1);
    if (field === undefined || place === undefined) {
      return {
        what: `\`${path}\`: there is no \`${step}\` in the request.`,
        unknown: { name: step, known },
      };
    }
    shapes.push(...places.map(({ shape }) => shape));
    rule = bothRules(rule, ruleOf(field));
    const named = getNamedType(field.type);
    if (at === steps.length - 1) {
      if (place.shape.value.kind !== 'scalar' || !isLeafType(named)) break;
      return { path, steps: shapes, type: named, list: place.shape.list, rule };
    }
    if (place.shape.list || place.object === null || !isInputObjectType(named)) {
      return { what: `\`${path}\`: \`${step}\` is not a single object.`, unknown: null };
    }
    fields = named.getFields();
    owner = place.object;
  }
  return { what: `\`${path}\` is no simple value.`, unknown: null };
}

interface Place {
  readonly shape: FieldShape;
  /** The content of an element with structure; null for other values. */
  readonly object: requestPlans.EncodeObject | null;
}

/**
 * The positions on the wire from an object to a member: one, or those of the elements around a
 * lifted value as well. Empty where the member has none of its own.
 */
function placesOf(owner: requestPlans.EncodeObject | null, key: string): readonly Place[] {
  if (owner === null) return [];
  const lifted = owner.lifts?.find((each) => each.key === key);
  const places: Place[] = [];
  let object: requestPlans.EncodeObject | null = owner;
  for (const step of lifted?.steps ?? [key]) {
    const place: Place | null = object === null ? null : placeIn(object, step);
    if (place === null) return [];
    places.push(place);
    object = place.object;
  }
  return places;
}

/** Returns the position of a request's member on the wire; null where it has none of its own. */
function placeIn(
  { children, attributes, text }: requestPlans.EncodeObject,
  key: string,
): Place | null {
  if (text?.key === key) {
    return {
      shape: {
        ...SINGLE,
        source: { from: 'text' },
        value: { kind: 'scalar', scalar: text.scalar },
      },
      object: null,
    };
  }
  const attribute = attributes.find((each) => each.key === key && each.source === undefined);
  if (attribute !== undefined) {
    const source = { from: 'attribute', name: attribute.name, default: null } as const;
    return {
      shape: { ...SINGLE, source, value: { kind: 'scalar', scalar: attribute.scalar } },
      object: null,
    };
  }
  const child = children.find(
    (each) => each.key === key && each.source === undefined && each.transparent !== true,
  );
  if (child === undefined) return null;
  const { uri, local } = child.name;
  const same = children.filter(
    (each) => each === child || (each.key !== key && isNamed(each, uri, local)),
  );
  return childPlace(child, same.length === 1 ? {} : { occurrence: same.indexOf(child) });
}

const isNamed = ({ name }: requestPlans.EncodeElement, uri: string, local: string): boolean =>
  name.local === local && name.uri === uri;

/** `repeated`: which one, where several parts of a message are the same element. */
function childPlace(
  { name, occurs, value }: requestPlans.EncodeElement,
  repeated: { readonly occurrence?: number },
): Place | null {
  const isWrapped = typeof occurs === 'object';
  const source = isWrapped
    ? ({ from: 'wrapped list', name, item: occurs.wrapped, default: null, ...repeated } as const)
    : ({ from: 'child', name, default: null, ...repeated } as const);
  const list = occurs !== 'one';
  if (value.kind === 'scalar') return { shape: { ...SINGLE, list, source, value }, object: null };
  if (value.kind !== 'object') return null;
  // The content is found by name: the shape is that of the next step alone.
  return {
    shape: { ...SINGLE, list, source, value: { kind: 'object', shape: NOTHING } },
    object: value,
  };
}

const NOTHING: ElementShape = { declared: null, variants: new Map() };

function replyValue(
  path: string,
  steps: readonly string[],
  { config, bound }: CallTarget,
): EventValue | LostPath {
  const { root } = bound.reply;
  const isNoValue: LostPath = { what: `\`${path}\` is no simple value.`, unknown: null };
  if (root.kind === 'done') return { what: `\`${path}\`: the reply has no values.`, unknown: null };
  const shapes: FieldShape[] = root.kind === 'unwrap' ? [root.field] : [];
  let type: GraphQLOutputType = config.type;
  let shape = shapeOf(root);
  for (const step of steps) {
    const owner = getNullableType(type);
    if (shape === null || !isFieldOwner(owner)) {
      return {
        what: `\`${path}\`: \`${step}\` cannot be a field of ${String(owner)}.`,
        unknown: null,
      };
    }
    const fields = owner.getFields();
    const object = shape.declared ?? [...shape.variants.values()][0] ?? null;
    const field = Object.hasOwn(fields, step) ? fields[step] : undefined;
    const place = object?.fields.get(step);
    if (field === undefined || place === undefined) {
      const known = Object.keys(fields).filter((name) => object?.fields.has(name));
      return {
        what: `\`${path}\`: \`${owner.name}\` has no field \`${step}\`.`,
        unknown: { name: step, known },
      };
    }
    shapes.push(place);
    type = field.type;
    shape = place.value.kind === 'object' && !place.list ? place.value.shape : null;
  }
  const last = shapes.at(-1);
  const nullable = getNullableType(type);
  const item = isListType(nullable) ? getNullableType(nullable.ofType) : nullable;
  if (last === undefined || last.value.kind !== 'scalar' || !isLeafType(item)) return isNoValue;
  const rule = shapes.reduce<FieldRule | null>(
    (all, each) => bothRules(all, each.rule ?? null),
    null,
  );
  return { path, steps: shapes, type: item, list: isListType(nullable), rule };
}

function shapeOf(root: ReplyRoot): ElementShape | null {
  if (root.kind === 'whole') return root.shape;
  return root.kind === 'unwrap' && root.field.value.kind === 'object' && !root.field.list
    ? root.field.value.shape
    : null;
}

/** Reads values from the child of Body of one message; null where there is nothing to read. */
export function readingOf(
  element: ReplyPlan['element'],
  values: readonly EventValue[],
): ValueReading | null {
  if (values.length === 0) return null;
  const slots = values.map((value, index) => eventSlot(String(index), value.steps));
  return { plan: planOf(element, slots), paths: values.map(({ path }) => path) };
}

/** The plan that reads these slots from the child of Body. */
export const planOf = (element: ReplyPlan['element'], slots: readonly FieldSlot[]): ReplyPlan => ({
  element,
  shape: 'whole',
  value: replyPlans.objectOf(slots),
  nonNull: false,
});

/** Each step is under `=` of the one before. */
export function eventSlot(key: string, [first, ...rest]: readonly FieldShape[]): FieldSlot {
  if (first === undefined) throw new Error('a value without a path');
  const { list, value } = first;
  const slot = { ...SINGLE, key, ...fieldPosition(first), list };
  if (rest.length > 0) return { ...slot, value: replyPlans.objectOf([eventSlot('=', rest)]) };
  if (value.kind !== 'scalar') throw new Error('a path to no simple value');
  return { ...slot, value };
}

/** The values by path; null for an absent one. */
export function valuesRead(
  { paths }: ValueReading,
  decoded: Decoded,
): readonly (readonly [string, unknown])[] {
  return paths.map((path, index) => {
    const value = innermost(memberOf(decoded.value, String(index)));
    const errors = decoded.errors
      .filter((error) => error.path[0] === String(index))
      .map(wrongPlace);
    // Errors above the limit have no path.
    if (errors.length === 0 && value === null && decoded.furtherErrors > 0) {
      errors.push({ path: [], rule: 'wrong' });
    }
    return [path, errors.length === 0 ? value : { value, errors }] as const;
  });
}

const wrongPlace = ({ path, rule }: replyPlans.DecodeError): eventBus.InvalidPart => ({
  path: path.slice(1).filter((step) => step !== '='),
  rule,
});

function innermost(value: unknown): unknown {
  let inner = value;
  while (isRecord(inner)) {
    inner = memberOf(inner, '=');
  }
  return inner ?? null;
}

const memberOf = (value: unknown, key: string): unknown =>
  isRecord(value) ? (value[key] ?? null) : null;
