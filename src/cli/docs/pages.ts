import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql';
import type { BoundField } from '../../graphql/fields/bound-field.js';
import { exampleArguments } from '../../graphql/fields/example-arguments.js';
import { ExampleOperations } from './example-operation.js';

/** A part of the documentation: the same content is written as Markdown and as HTML. */
export type PageBlock =
  | { readonly kind: 'text'; readonly text: InlineText }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly InlineText[])[] };

/** Texts of the WSDL, which mean nothing to Markdown or HTML, and names that the program shows as code. */
export type InlineText = readonly (string | { readonly code: string })[];

/** Names with commas between them. */
const listed = (names: readonly string[]): InlineText =>
  names.flatMap((code, at) => (at === 0 ? [{ code }] : [', ', { code }]));

export interface PageEntry {
  readonly name: string;
  readonly blocks: readonly PageBlock[];
}

export interface DocsPage {
  readonly title: string;
  /** The name of its file, without an ending. */
  readonly file: string;
  readonly entries: readonly PageEntry[];
}

/** The pages of a schema: operations that read, operations that write, types, Faults. */
export function pagesOf(schema: GraphQLSchema, fields: ReadonlyMap<string, BoundField>): readonly DocsPage[] {
  const examples = new ExampleOperations(schema);
  const rootOf = (root: 'Query' | 'Mutation'): readonly PageEntry[] => {
    const type = root === 'Query' ? schema.getQueryType() : schema.getMutationType();
    return Object.values(type?.getFields() ?? {}).map((field) =>
      operationEntry(root, field, fields.get(`${root}.${field.name}`) ?? null, examples),
    );
  };
  const roots = new Set([schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]);
  const types = Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type) && !roots.has(type as never))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const pages: readonly DocsPage[] = [
    { title: 'Queries', file: 'queries', entries: rootOf('Query') },
    { title: 'Mutations', file: 'mutations', entries: rootOf('Mutation') },
    { title: 'Types', file: 'types', entries: types.map(typeEntry) },
    { title: 'Faults', file: 'faults', entries: faultEntries(fields) },
  ];
  return pages.filter(({ entries }) => entries.length > 0);
}

function operationEntry(
  root: 'Query' | 'Mutation',
  field: GraphQLField<unknown, unknown>,
  bound: BoundField | null,
  examples: ExampleOperations,
): PageEntry {
  const { document, answer } = examples.of(root, field, bound === null ? {} : exampleArguments(bound));
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
        : [{ kind: 'text', text: ['Faults: ', ...listed(faults.map(({ name }) => name)), '.'] } as const]),
    ],
  };
}

function typeEntry(type: GraphQLNamedType): PageEntry {
  const text: PageBlock[] = described(type);
  if (isEnumType(type)) {
    const rows = type.getValues().map(({ name, description }) => [[{ code: name }], [description ?? '']]);
    return { name: type.name, blocks: [...text, { kind: 'table', head: ['value', 'means'], rows }] };
  }
  if (isUnionType(type)) {
    const names = type.getTypes().map(({ name }) => name);
    return { name: type.name, blocks: [...text, { kind: 'text', text: ['One of ', ...listed(names), '.'] }] };
  }
  if (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)) {
    const values: readonly (GraphQLField<unknown, unknown> | GraphQLInputField)[] = Object.values(type.getFields());
    return { name: type.name, blocks: [...text, ...valueTable('field', values)] };
  }
  return { name: type.name, blocks: text };
}

/** Each Fault that an operation declares, with the operations that may answer it. */
function faultEntries(fields: ReadonlyMap<string, BoundField>): readonly PageEntry[] {
  const found = new Map<string, { readonly documentation: string | null; readonly fields: Set<string> }>();
  for (const { operation, name } of fields.values()) {
    for (const { name: fault, element } of operation.faults) {
      const known = found.get(fault) ?? {
        documentation: element.documentation ?? element.type.documentation,
        fields: new Set(),
      };
      found.set(fault, known);
      if (name !== '') known.fields.add(name);
    }
  }
  return [...found].map(([name, { documentation, fields: of }]) => ({
    name,
    blocks: [
      ...(documentation === null ? [] : [{ kind: 'text', text: [documentation] } as const]),
      {
        kind: 'text',
        text: ['An error with the code SOAP_FAULT, of ', ...listed([...of]), '.'],
      },
    ],
  }));
}

interface Described {
  readonly description?: string | null | undefined;
  readonly deprecationReason?: string | null | undefined;
}

const described = ({ description, deprecationReason }: Described): PageBlock[] => [
  ...(description == null ? [] : [{ kind: 'text', text: [description] } as const]),
  ...(deprecationReason == null ? [] : [{ kind: 'text', text: [`Deprecated: ${deprecationReason}`] } as const]),
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
