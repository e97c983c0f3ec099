import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type FieldDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  Kind,
  parse,
  print,
  printType,
  visit,
} from 'graphql';
import type { Steps } from '../../../core/index.js';
import { ruleOf } from '../rights/field-rule.js';
import { ANY_VALUE_NAMES } from '../types/any-value.js';
import { fieldOfOwner } from '../types/field-owner.js';
import { isRoot } from '../types/roots.js';
import { argumentCost, listSizeDirective, typeCost, weightDirective } from './cost-directives.js';
import { directive, UsedDirectives } from './directive-nodes.js';
import type { FederationDirectives, FieldDirectives, TypeDirectives } from './directives.js';
import { SUBGRAPH_NAMES } from './entity.js';
import type { DeclaredKey } from './entity-keys.js';
import { rightsDirectives } from './rights-directives.js';

/** The parts of a subgraph that its SDL shows beside the types. */
export interface SdlParts {
  readonly keys: ReadonlyMap<string, readonly DeclaredKey[]>;
  readonly directives: FederationDirectives;
}

/** Prints a schema as the SDL of a subgraph, without what every subgraph has. */
export function* printSubgraph(schema: GraphQLSchema, parts: SdlParts): Steps<string> {
  const printed: string[] = [];
  const used = new UsedDirectives();
  for (const type of Object.values(schema.getTypeMap())) {
    yield;
    if (isIntrospectionType(type) || isSpecifiedScalarType(type) || OWN_TYPES.has(type.name)) {
      continue;
    }
    const definition = definitionOf(type, schema, parts);
    if (definition !== null) {
      visit(definition, { Directive: (node) => used.add(node) });
      printed.push(print(definition));
    }
  }
  return `${[used.printLink(), ...printed].join('\n\n')}\n`;
}

const OWN_TYPES: ReadonlySet<string> = new Set([
  SUBGRAPH_NAMES.representation,
  SUBGRAPH_NAMES.entity,
  SUBGRAPH_NAMES.service,
]);

/** `_empty` stands in for the query that each schema needs: a supergraph has others. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  SUBGRAPH_NAMES.entitiesField,
  SUBGRAPH_NAMES.serviceField,
  '_empty',
]);

/** Types of the gateway itself: other subgraphs may be gateways too. */
const SHARED_TYPES: ReadonlySet<string> = new Set([...ANY_VALUE_NAMES, 'PageInfo']);

type Definition = Exclude<DefinitionNode, { readonly kind: Kind.OPERATION_DEFINITION }>;

/** The definition of a type with its directives; null for a root type without fields. */
function definitionOf(
  type: GraphQLNamedType,
  schema: GraphQLSchema,
  { keys, directives }: SdlParts,
): Definition | null {
  const [definition] = parse(printType(type), { noLocation: true }).definitions;
  const mapped = directives.get(type.name);
  switch (definition?.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_DEFINITION: {
      const own = isRoot(schema, type) ? OWN_FIELDS : NO_FIELDS;
      const fields = (definition.fields ?? [])
        .filter(({ name }) => !own.has(name.value))
        .map((node) => annotated(node, type, mapped));
      if (fields.length === 0) return null;
      const added = [
        ...keyDirectives(keys.get(type.name) ?? []),
        ...typeDirectives(type, mapped),
        ...typeCost(type),
      ];
      return { ...definition, fields, directives: [...(definition.directives ?? []), ...added] };
    }
    case Kind.ENUM_TYPE_DEFINITION: {
      const values = definition.values?.map((node) => withPart(node, mapped?.fields));
      return { ...withPart(definition, directives), ...(values && { values }) };
    }
    case Kind.INPUT_OBJECT_TYPE_DEFINITION: {
      const fields = definition.fields?.map((node) => withPart(node, mapped?.fields));
      // Compositions do not know `@oneOf`: the gateway checks it itself.
      const others = definition.directives?.filter(({ name }) => name.value !== 'oneOf') ?? [];
      const made = withPart({ ...definition, directives: others }, directives);
      return { ...made, ...(fields && { fields }) };
    }
    case Kind.SCALAR_TYPE_DEFINITION:
    case Kind.UNION_TYPE_DEFINITION:
      return withPart(definition, directives);
    default:
      return null;
  }
}

const NO_FIELDS: ReadonlySet<string> = new Set();

const keyDirectives = (keys: readonly DeclaredKey[]): readonly ConstDirectiveNode[] =>
  keys.map(({ fields, isResolvable }) =>
    directive('key', { fields, ...(isResolvable ? {} : { resolvable: false }) }),
  );

function typeDirectives(
  type: GraphQLNamedType,
  mapped: TypeDirectives | undefined,
): readonly ConstDirectiveNode[] {
  const isShared = mapped?.shareable === true || SHARED_TYPES.has(type.name);
  return [
    ...(isShared && isObjectType(type) ? [directive('shareable')] : []),
    ...(mapped?.interfaceObject === true && isObjectType(type)
      ? [directive('interfaceObject')]
      : []),
    ...partDirectives(mapped),
  ];
}

type Part = Pick<FieldDirectives, 'inaccessible' | 'tags'>;

const partDirectives = (part: Part | undefined): readonly ConstDirectiveNode[] => [
  ...(part?.inaccessible === true ? [directive('inaccessible')] : []),
  ...(part?.tags ?? []).map((name) => directive('tag', { name })),
];

/** A part of the schema that has a name, with what the configuration gives to it. */
function withPart<
  T extends {
    readonly name: { readonly value: string };
    readonly directives?: readonly ConstDirectiveNode[] | undefined;
  },
>(node: T, mapped: ReadonlyMap<string, Part> | undefined): T {
  const added = partDirectives(mapped?.get(node.name.value));
  return added.length === 0
    ? node
    : { ...node, directives: [...(node.directives ?? []), ...added] };
}

function annotated(
  node: FieldDefinitionNode,
  type: GraphQLNamedType,
  ofType: TypeDirectives | undefined,
): FieldDefinitionNode {
  const field = fieldOfOwner(type, node.name.value);
  if (field === undefined) return node;
  const mapped = ofType?.fields.get(node.name.value);
  // Compositions refuse rights and prices of interfaces: the types that implement them have them.
  const isConcrete = isObjectType(type);
  const rights =
    isConcrete && ofType?.interfaceObject !== true ? (ruleOf(field)?.requires ?? null) : null;
  const added = [
    ...(mapped === undefined ? [] : fieldDirectives(mapped)),
    ...partDirectives(mapped),
    ...rightsDirectives(rights),
    ...(isConcrete ? weightDirective(field) : []),
    ...listSizeDirective(field),
  ];
  const args = node.arguments?.map((argument) => {
    const cost = isConcrete ? argumentCost(field, argument.name.value) : [];
    return cost.length === 0
      ? argument
      : { ...argument, directives: [...(argument.directives ?? []), ...cost] };
  });
  return {
    ...node,
    directives: [...(node.directives ?? []), ...added],
    ...(args && { arguments: args }),
  };
}

function fieldDirectives({
  shareable,
  external,
  override,
  requires,
  provides,
}: FieldDirectives): readonly ConstDirectiveNode[] {
  return [
    ...(shareable ? [directive('shareable')] : []),
    ...(external ? [directive('external')] : []),
    ...(override === null
      ? []
      : [
          directive('override', {
            from: override.from,
            ...(override.label === null ? {} : { label: override.label }),
          }),
        ]),
    ...(requires === null ? [] : [directive('requires', { fields: requires })]),
    ...(provides === null ? [] : [directive('provides', { fields: provides })]),
  ];
}
