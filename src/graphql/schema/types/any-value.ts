import {
  GraphQLInputObjectType,
  type GraphQLNamedType,
  GraphQLObjectType,
  GraphQLScalarType,
  valueFromASTUntyped,
} from 'graphql';
import { type replyPlans, scalars, XSI_URI } from '../../../codec/index.js';
import { collections } from '../../../core/index.js';
import { xsd } from '../../../wsdl/index.js';
import type { FieldRights } from '../rights/field-rights.js';
import type { FieldRule } from '../rights/field-rule.js';
import { plainShape, SINGLE } from './plain-shape.js';
import type { ElementShape, FieldShape, RuledTypes, ValueShape } from './shape.js';

/**
 * The names of the types for values of any type, and for data sets. No type of a WSDL is called so.
 */
export const ANY_VALUE_NAMES: readonly string[] = [
  'AnyValue',
  'AnyValueInput',
  'AnyDataSet',
  'AnyDataTable',
  'JSON',
];

/** The GraphQL types for values of any type: one of each for all services. */
export class AnyValueTypes {
  readonly output: GraphQLObjectType;
  readonly input: GraphQLInputObjectType;
  readonly json: GraphQLScalarType;
  /** Every one of them. */
  readonly all: readonly GraphQLNamedType[];

  constructor(qName: GraphQLScalarType, xml: GraphQLScalarType) {
    const json = jsonScalar();
    this.json = json;
    this.output = new GraphQLObjectType({
      name: 'AnyValue',
      description: 'A value of any type.',
      fields: {
        name: { type: qName, description: 'The name of its element, `{namespace}name`.' },
        type: {
          type: qName,
          description: 'Its type, `{namespace}name`; null where it names none.',
        },
        value: { type: json, description: VALUE },
        xml: { type: xml, description: 'The whole element as XML.' },
      },
    });
    this.input = new GraphQLInputObjectType({
      name: 'AnyValueInput',
      description: 'A value of any type: as JSON, or the element as XML.',
      fields: {
        name: {
          type: qName,
          description:
            'The name of its element, `{namespace}name`, where elements of any name may ' +
            'stand; else it is not used.',
        },
        type: {
          type: qName,
          description:
            'Its type: `{namespace}name`, or a type of XML Schema by its name alone ' +
            '(`dateTime`). Without it, what JSON tells.',
        },
        value: { type: json, description: VALUE },
        xml: { type: xml, description: 'The whole element as XML, or text, instead of `value`.' },
      },
    });
    this.all = [this.output, this.input, json];
  }
}

const VALUE =
  'As JSON: members by the names of elements, attributes as `@name`. Within it, `$type` is ' +
  'the type of a value where JSON does not tell it, `$value` that value.';

/** A value of any type in replies. `isNamed`: its element is of any name as well. */
export function anyOutput(
  types: RuledTypes,
  { anyValue }: { readonly anyValue: AnyValueTypes },
  isNamed = false,
): {
  readonly type: GraphQLObjectType;
  readonly value: { readonly kind: 'object'; readonly shape: ElementShape };
} {
  const shape = isNamed ? namedShapeOf(types) : unnamedShapeOf(types);
  TYPES.set(shape, types);
  return { type: anyValue.output, value: { kind: 'object', shape } };
}

const namedShapeOf = collections.makeOncePer((types: RuledTypes) => shapeOf(types, true));
const unnamedShapeOf = collections.makeOncePer((types: RuledTypes) => shapeOf(types, false));
const TYPES = new WeakMap<ElementShape, RuledTypes>();

/** The rules of all fields that a value of any type may hold; null for other values. */
export const ruleWithinAny = (value: ValueShape): FieldRule | null =>
  value.kind === 'object' ? (TYPES.get(value.shape)?.rule ?? null) : null;

/** The plan of a value of any type, with what its reader may have of it. */
export const anyPlan = (
  { kind, types, isNamed = false }: Extract<ValueShape, { readonly kind: 'any' }>,
  rights: FieldRights | null,
): replyPlans.AnyPlan => ({
  kind,
  isNamed,
  types: rights === null ? types : types.restricted(rights),
});

/** Returns the shape of `AnyValue`: the positions of its fields on the wire. */
function shapeOf(types: RuledTypes, isNamed: boolean): ElementShape {
  const scalar = scalars.scalarOf(QNAME);
  const { rule } = types;
  const self = (value: FieldShape['value']): FieldShape => ({
    ...SINGLE,
    source: { from: 'self' },
    value,
  });
  const fields = new Map<string, FieldShape>([
    ['name', { ...SINGLE, source: { from: 'name' }, value: { kind: 'scalar', scalar } }],
    ['type', { ...SINGLE, source: TYPE_ATTRIBUTE, value: { kind: 'scalar', scalar } }],
    ['value', self({ kind: 'any', types, isNamed })],
    ['xml', { ...self({ kind: 'opaque' }), ...(rule === null ? {} : { rule }) }],
  ]);
  return plainShape('AnyValue', fields);
}

const TYPE_ATTRIBUTE = {
  from: 'attribute',
  name: { uri: XSI_URI, local: 'type' },
  default: null,
} as const;

const QNAME =
  xsd.builtInSimple({ uri: 'http://www.w3.org/2001/XMLSchema', local: 'QName' }) ?? xsd.STRING;

/** Values of JSON as they are: the encoder checks them against the type they are to be of. */
const jsonScalar = (): GraphQLScalarType =>
  new GraphQLScalarType<unknown, unknown>({
    name: 'JSON',
    description: 'A value of JSON, of any form.',
    specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
    serialize: (value) => value,
    parseValue: (value) => value,
    parseLiteral: (node, variables) => valueFromASTUntyped(node, variables),
  });
