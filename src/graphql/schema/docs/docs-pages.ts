import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql';
import { exampleValues } from '../../../codec/index.js';
import { getOrMake } from '../../../core/index.js';
import type { ElementDeclaration, FaultDeclaration } from '../../../wsdl/index.js';
import { SUBGRAPH_NAMES } from '../entities/entity.js';
import type { BoundField } from '../fields/bound-field.js';
import { isRoot, rootOf } from '../types/roots.js';
import { validArguments } from './example-arguments.js';
import { ExampleOperations } from './example-operation.js';
import type { DocsPage, InlineText, PageBlock, PageEntry } from './page-block.js';

/** Names with commas between them. */
const listed = (names: readonly string[]): InlineText =>
  names.flatMap((code, at) => (at === 0 ? [{ code }] : [', ', { code }]));

/** Types that are shown with one operation. */
const TYPES_MAX = 50;

/**
 * The entry of one operation, and those of its Faults and of the types that it names, as far as
 * they are shown.
 */
export function entriesOf(schema: GraphQLSchema, bound: BoundField): readonly PageEntry[] {
  const { parent, name } = bound;
  const field = rootOf(schema, parent)?.getFields()[name];
  if (field === undefined || parent === 'Subscription') return [];
  const types = typesOf([field.type, ...field.args.map(({ type }) => type)]);
  const faults = bound.operation.faults.map((fault) => ({
    name: fault.name,
    blocks: faultBlocks(fault, [name]),
  }));
  return [
    operationEntry(parent, field, bound, new ExampleOperations(schema)),
    ...faults,
    ...types.map(typeEntry),
  ];
}

/** The types that these lead to, the nearest first. */
function typesOf(outer: readonly GraphQLType[]): readonly GraphQLNamedType[] {
  const found = new Set<GraphQLNamedType>();
  let level: readonly GraphQLNamedType[] = outer.map(
    (type): GraphQLNamedType => getNamedType(type),
  );
  while (level.length > 0 && found.size < TYPES_MAX) {
    const next: GraphQLNamedType[] = [];
    for (const type of level) {
      if (found.has(type) || isSpecifiedScalarType(type) || found.size === TYPES_MAX) continue;
      found.add(type);
      if (isUnionType(type)) {
        next.push(...type.getTypes());
      } else if (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)) {
        next.push(...Object.values(type.getFields()).map(namedTypeOf));
      }
    }
    level = next;
  }
  return [...found];
}

const namedTypeOf = ({ type }: { readonly type: GraphQLType }): GraphQLNamedType =>
  getNamedType(type);

/**
 * The pages of a schema: operations that read, operations that write, types, Faults. Parts of a
 * subgraph that are for routers are left out.
 */
export function pagesOf(
  schema: GraphQLSchema,
  fields: ReadonlyMap<string, BoundField>,
  isSubgraph: boolean,
): readonly DocsPage[] {
  const examples = new ExampleOperations(schema);
  const isShown = ({ name }: { readonly name: string }): boolean =>
    !isSubgraph || !OF_SUBGRAPHS.has(name);
  const entriesIn = (root: 'Query' | 'Mutation'): readonly PageEntry[] =>
    Object.values(rootOf(schema, root)?.getFields() ?? {})
      .filter(isShown)
      .map((field) =>
        operationEntry(root, field, fields.get(`${root}.${field.name}`) ?? null, examples),
      );
  const types = Object.values(schema.getTypeMap())
    .filter(isShown)
    .filter(
      (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type) && !isRoot(schema, type),
    )
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const pages: readonly DocsPage[] = [
    { title: 'Queries', file: 'queries', entries: entriesIn('Query') },
    { title: 'Mutations', file: 'mutations', entries: entriesIn('Mutation') },
    { title: 'Types', file: 'types', entries: types.map(typeEntry) },
    { title: 'Faults', file: 'faults', entries: faultEntries(fields) },
  ];
  return pages.filter(({ entries }) => entries.length > 0);
}

const OF_SUBGRAPHS: ReadonlySet<string> = new Set(Object.values(SUBGRAPH_NAMES));

function operationEntry(
  root: 'Query' | 'Mutation',
  field: GraphQLField<unknown, unknown>,
  bound: BoundField | null,
  examples: ExampleOperations,
): PageEntry {
  const { document, answer } = examples.of(
    root,
    field,
    bound === null ? {} : validArguments(bound),
  );
  const faults = bound?.operation.faults ?? [];
  return {
    name: field.name,
    blocks: [
      ...described(field),
      {
        kind: 'text',
        text: [
          'Answers ',
          { code: String(field.type) },
          bound === null ? '.' : `. Calls ${bound.operation.name} of the service ${bound.service}.`,
        ],
      },
      ...valueTable('argument', field.args),
      { kind: 'code', language: 'graphql', text: document },
      { kind: 'code', language: 'json', text: answer },
      ...(faults.length === 0
        ? []
        : [
            {
              kind: 'text',
              text: ['Faults: ', ...listed(faults.map(({ name }) => name)), '.'],
            } as const,
          ]),
    ],
  };
}

function typeEntry(type: GraphQLNamedType): PageEntry {
  const text: PageBlock[] = described(type);
  if (isEnumType(type)) {
    const rows = type
      .getValues()
      .map(({ name, description }) => [[{ code: name }], [description ?? '']]);
    return {
      name: type.name,
      blocks: [...text, { kind: 'table', head: ['value', 'means'], rows }],
    };
  }
  if (isUnionType(type)) {
    const names = type.getTypes().map(({ name }) => name);
    return {
      name: type.name,
      blocks: [...text, { kind: 'text', text: ['One of ', ...listed(names), '.'] }],
    };
  }
  if (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)) {
    const values: readonly (GraphQLField<unknown, unknown> | GraphQLInputField)[] = Object.values(
      type.getFields(),
    );
    return { name: type.name, blocks: [...text, ...valueTable('field', values)] };
  }
  return { name: type.name, blocks: text };
}

interface FaultOfService {
  readonly fault: FaultDeclaration;
  readonly service: string;
  readonly fields: Set<string>;
}

/** Each Fault that operations of a service declare, with those that may answer it. */
function faultEntries(fields: ReadonlyMap<string, BoundField>): readonly PageEntry[] {
  const found = new Map<ElementDeclaration, FaultOfService>();
  for (const { operation, name, service } of fields.values()) {
    for (const fault of operation.faults) {
      const known = getOrMake(found, fault.element, () => ({ fault, service, fields: new Set() }));
      if (name !== '') {
        known.fields.add(name);
      }
    }
  }
  const entries = [...found.values()];
  return entries.map(({ fault, service, fields: of }) => {
    const isAlone = entries.every(
      (other) => other.fault === fault || other.fault.name !== fault.name,
    );
    return {
      name: isAlone ? fault.name : `${fault.name} of ${service}`,
      blocks: faultBlocks(fault, [...of]),
    };
  });
}

function faultBlocks(
  { element }: FaultDeclaration,
  fields: readonly string[],
): readonly PageBlock[] {
  const documentation = element.documentation ?? element.type.documentation;
  return [
    ...(documentation === null ? [] : [{ kind: 'text', text: [documentation] } as const]),
    {
      kind: 'text',
      text: [
        'An error with the code SOAP_FAULT, of ',
        ...listed(fields),
        '. Its detail, as the backend writes it:',
      ],
    },
    { kind: 'code', language: 'xml', text: new exampleValues.ExampleWriter().root(element) },
  ];
}

interface Described {
  readonly description?: string | null | undefined;
  readonly deprecationReason?: string | null | undefined;
}

const described = ({ description, deprecationReason }: Described): PageBlock[] => [
  ...(description == null ? [] : [{ kind: 'text', text: [description] } as const]),
  ...(deprecationReason == null
    ? []
    : [{ kind: 'text', text: [`Deprecated: ${deprecationReason}`] } as const]),
];

function valueTable(
  kind: string,
  values: readonly (GraphQLArgument | GraphQLInputField | GraphQLField<unknown, unknown>)[],
): PageBlock[] {
  if (values.length === 0) return [];
  const rows = values.map(({ name, type, description, deprecationReason }) => [
    [{ code: name }],
    [{ code: String(type) }],
    [
      [description ?? '', deprecationReason == null ? '' : `Deprecated: ${deprecationReason}`]
        .filter(Boolean)
        .join(' '),
    ],
  ]);
  return [{ kind: 'table', head: [kind, 'type', 'means'], rows }];
}
