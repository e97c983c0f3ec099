import {
  type GraphQLArgument,
  type GraphQLInputField,
  getNamedType,
  isInputObjectType,
  isNonNullType,
} from 'graphql';
import type { Compiled } from '../compile.js';
import { scopeRules, spelling } from '../core/index.js';
import { type BoundField, fieldRights, graphqlSchema } from '../graphql/index.js';
import { describeConversion } from './describe-conversion.js';

type Input = GraphQLArgument | GraphQLInputField;
type Graph = Compiled['graph'];
type Body = NonNullable<BoundField['requestPlan']['body']>['value'];
type Value = Body['children'][number]['value'];
type WrittenScalar = NonNullable<Body['text']>['scalar'];

/** Rows that explain an argument or an input field; a text for a name that is not known. */
export type Explained = { readonly rows: readonly (readonly [string, string])[] } | string;

/** Names of arguments: `Mutation.saveOrder(order.total)`. */
const ARGUMENT = /^(\w+)\.(\w+)\((\w+(?:\.\w+)*)\)$/;

/** Whether a name is that of an argument, or of a value inside one. */
export const isArgument = (name: string): boolean => ARGUMENT.test(name);

/** Explains an argument, or a value inside one. */
export function explainArgument({ schema, fields }: Graph, name: string): Explained {
  const [, root = '', fieldName = '', path = ''] = ARGUMENT.exec(name) ?? [];
  const type = graphqlSchema.rootTypes(schema).find((each) => each.name === root);
  if (type === undefined) return `${root} is no type of the root.`;
  const known = type.getFields();
  const field = Object.hasOwn(known, fieldName) ? known[fieldName] : undefined;
  if (field === undefined) return unknownName(`${root} has no ${fieldName}.`, fieldName, known);
  const bound = fields.get(`${root}.${fieldName}`);
  let inputs = byName(field.args);
  let input: Input | undefined;
  let owner = fieldName;
  for (const step of path.split('.')) {
    input = inputs.get(step);
    if (input === undefined) {
      return unknownName(`${owner} takes no ${step}.`, step, Object.fromEntries(inputs));
    }
    const inner = getNamedType(input.type);
    inputs = isInputObjectType(inner) ? byName(Object.values(inner.getFields())) : new Map();
    owner = inner.name;
  }
  if (input === undefined) return `${fieldName} takes no ${path}.`;
  const place = bound === undefined ? null : placeOf(bound, path.split('.'));
  return { rows: rowsOf(name, input, place) };
}

/** Explains a field of an input type, by the first operation that takes it. */
export function explainInputField(graph: Graph, name: string): Explained | null {
  const [typeName = '', fieldName = ''] = name.split('.');
  const type = graph.schema.getType(typeName);
  if (!isInputObjectType(type)) return null;
  const fields = type.getFields();
  const field = Object.hasOwn(fields, fieldName) ? fields[fieldName] : undefined;
  if (field === undefined)
    return unknownName(`${typeName} has no ${fieldName}.`, fieldName, fields);
  return { rows: rowsOf(name, field, firstPlace(graph, typeName, fieldName)) };
}

const byName = (inputs: readonly Input[]): ReadonlyMap<string, Input> =>
  new Map(inputs.map((each) => [each.name, each]));

/** A sentence about a name that is not known, and the known one that is nearest. */
export function unknownName(
  what: string,
  name: string,
  known: Readonly<Record<string, unknown>>,
): string {
  const near = spelling.nearest(name, Object.keys(known));
  return near === null ? what : `${what} Did you mean ${near}?`;
}

/** The position of an argument on the wire. */
interface WrittenPlace {
  readonly bound: BoundField;
  /** Elements with `/` between them, an attribute as `@name`. */
  readonly wire: readonly string[];
  /** Null for a value with structure. */
  readonly scalar: WrittenScalar | null;
  readonly required: boolean;
  readonly nillable: boolean;
}

/** Follows argument and members to the wire; null where the gateway writes them by other means. */
function placeOf(bound: BoundField, path: readonly string[]): WrittenPlace | null {
  const { requestPlan, headersArgument } = bound;
  const [first, ...rest] = path;
  if (first === headersArgument && headersArgument !== null) {
    const block = requestPlan.headers.find(({ key }) => key === rest[0]);
    return block === undefined ? null : inElement(bound, block, rest.slice(1), []);
  }
  return requestPlan.body === null ? null : inObject(bound, requestPlan.body.value, path, []);
}

function inObject(
  bound: BoundField,
  object: Body,
  [step = '', ...rest]: readonly string[],
  wire: readonly string[],
): WrittenPlace | null {
  const lift = object.lifts?.find(({ key }) => key === step);
  if (lift !== undefined) return inObject(bound, object, [...lift.steps, ...rest], wire);
  const attribute = object.attributes.find(({ key }) => key === step);
  if (attribute !== undefined) {
    const { name, scalar } = attribute;
    return { bound, wire: [...wire, `@${name.local}`], scalar, ...NEITHER };
  }
  if (object.text?.key === step) {
    return { bound, wire: [...wire, 'text'], scalar: object.text.scalar, ...NEITHER };
  }
  const child = object.children.find(({ key }) => key === step);
  return child === undefined ? null : inElement(bound, child, rest, wire);
}

const NEITHER = { required: false, nillable: false };

function inElement(
  bound: BoundField,
  { name, occurs, value, required, nillable }: Body['children'][number],
  rest: readonly string[],
  wire: readonly string[],
): WrittenPlace | null {
  const own = [...wire, name.local, ...(typeof occurs === 'object' ? [occurs.wrapped.local] : [])];
  if (rest.length > 0) return inValue(bound, value, rest, own);
  const scalar = value.kind === 'scalar' ? value.scalar : null;
  return { bound, wire: own, scalar, required, nillable };
}

function inValue(
  bound: BoundField,
  value: Value,
  path: readonly string[],
  wire: readonly string[],
): WrittenPlace | null {
  if (value.kind === 'object') return inObject(bound, value, path, wire);
  if (value.kind === 'array') return inValue(bound, value.item, path, wire);
  if (value.kind !== 'variants') return null;
  const variant = value.members.get(path[0] ?? '');
  return variant === undefined ? null : inValue(bound, variant.value, path.slice(1), wire);
}

/** Looks for a field of an input type in the arguments of all operations, the nearest first. */
function firstPlace(graph: Graph, typeName: string, fieldName: string): WrittenPlace | null {
  const seen = new Set<string>();
  for (const type of graphqlSchema.rootTypes(graph.schema)) {
    for (const { name, args } of Object.values(type.getFields())) {
      const bound = graph.fields.get(`${type.name}.${name}`);
      if (bound === undefined) continue;
      const left: { readonly input: Input; readonly path: readonly string[] }[] = args.map(
        (each) => ({
          input: each,
          path: [each.name],
        }),
      );
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const inner = getNamedType(next.input.type);
        if (!isInputObjectType(inner)) continue;
        if (inner.name === typeName) return placeOf(bound, [...next.path, fieldName]);
        if (seen.has(inner.name)) continue;
        seen.add(inner.name);
        for (const field of Object.values(inner.getFields())) {
          left.push({ input: field, path: [...next.path, field.name] });
        }
      }
    }
  }
  return null;
}

function rowsOf(
  name: string,
  input: Input,
  place: WrittenPlace | null,
): readonly (readonly [string, string])[] {
  const required = fieldRights.ruleOf(input)?.requires ?? null;
  const rights = required === null ? null : scopeRules.describeRequirement(required);
  const isRequired = isNeeded(input);
  return [
    ['argument', name],
    ['type', String(input.type)],
    ...(place === null ? [] : placeRows(place, isRequired)),
    ...(place === null && isRequired ? [['absent', 'refused'] as const] : []),
    ['rights', rights === null ? 'every caller may give it' : `requires ${rights}`],
  ];
}

const isNeeded = ({ type, defaultValue }: Input): boolean =>
  isNonNullType(type) && defaultValue === undefined;

function placeRows(
  { bound, wire, scalar, required, nillable }: WrittenPlace,
  isRequired: boolean,
): readonly (readonly [string, string])[] {
  const conversion = scalar?.converts ?? scalar?.item?.converts;
  const text = scalar?.nullText;
  const asText = text === undefined ? null : `the text ${JSON.stringify(text)}`;
  return [
    ['service', bound.service],
    ['operation', bound.operation.name],
    ['on the wire', wire.join('/')],
    ['conversion', conversion === undefined ? 'none' : describeConversion(conversion)],
    ['absent', isRequired ? 'refused' : ((required ? asText : null) ?? 'left out')],
    ['null', isRequired ? 'refused' : (asText ?? (nillable ? 'xsi:nil' : 'left out'))],
  ];
}
