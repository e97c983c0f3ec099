import {
  FilterInputObjectFields,
  FilterInterfaceFields,
  FilterObjectFields,
  FilterRootFields,
  FilterTypes,
  RenameInputObjectFields,
  RenameInterfaceFields,
  RenameObjectFields,
  RenameRootFields,
  RenameRootTypes,
  RenameTypes,
  wrapSchema,
} from '@graphql-tools/wrap';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  GraphQLSchema,
  isIntrospectionType,
  isObjectType,
  Kind,
  print,
} from 'graphql';
import { isRecord } from '../../base/record.js';
import type { SubschemaRequest } from '../fields/subschema.js';
import type { SubschemaResult } from './read-reply.js';

/** What a service's schema is called here. Names that are not in a map stay. */
export interface SubschemaNames {
  /** Of root types, by their names there. */
  readonly roots: ReadonlyMap<string, string>;
  readonly types: ReadonlyMap<string, string>;
  /** Of fields of Query and Mutation: `Query.customer` by its name there. */
  readonly rootFields: ReadonlyMap<string, string>;
  /** Of other fields, by `Type.field` there. */
  readonly fields: ReadonlyMap<string, string>;
  /** `Type` and `Type.field` there; of root types as `Query`, `Mutation`, `Subscription`. */
  readonly hidden: ReadonlySet<string>;
}

/** What wrapped schemas are executed with. */
export interface SubschemaSender {
  send(request: SubschemaRequest, keys: ReadonlySet<string>): Promise<SubschemaResult>;
}

/**
 * The schema of a service under the names it has here: executing an operation against it, with a `SubschemaSender` as the
 * context, sends the service the same in its own names. Hidden parts are not in it. The only file that knows who does
 * this.
 */
export function wrapSubschema(service: string, schema: GraphQLSchema, names: SubschemaNames): GraphQLSchema {
  const { hidden, fields } = names;
  const isShown = (type: string | undefined, field: string | undefined): boolean => !hidden.has(`${type}.${field}`);
  const fieldName = (type: string, field: string): string => fields.get(`${type}.${field}`) ?? field;
  const hidesFields = [...hidden].some((name) => name.includes('.'));
  const hides = [...hidden].some((name) => !name.includes('.'));
  const wrapped = wrapSchema<Sender>({
    schema: withoutEmptyRoots(schema, hidden),
    batch: true,
    executor: ({ document, variables, context }) => {
      if (context === undefined) throw new Error('a service that is asked by nobody');
      const { keys, operation } = operationOf(document);
      const request = { service, operation, query: print(document), variables: variables ?? {} };
      const result = (): Promise<SubschemaResult> => context.send(request, keys);
      // Of whatever type is expected: what came is judged when it is read with the schema.
      return operation === 'subscription' ? (only(result) as AsyncIterable<never>) : (result() as Promise<never>);
    },
    transforms: [
      ...(hides ? [new FilterTypes<Sender>(({ name }) => !hidden.has(name))] : []),
      ...(hidesFields
        ? [
            new FilterRootFields<Sender>((root, field) => isShown(root, field)),
            new FilterObjectFields<Sender>((type, field) => isShown(type, field)),
            new FilterInterfaceFields<Sender>((type, field) => isShown(type, field)),
            new FilterInputObjectFields<Sender>((type, field) => isShown(type, field)),
          ]
        : []),
      ...(fields.size > 0
        ? [
            new RenameObjectFields<Sender>(fieldName),
            new RenameInterfaceFields<Sender>(fieldName),
            new RenameInputObjectFields<Sender>(fieldName),
          ]
        : []),
      new RenameRootFields<Sender>((root, field) => names.rootFields.get(`${root}.${field}`) ?? field),
      new RenameTypes<Sender>((name) => names.types.get(name) ?? name),
      new RenameRootTypes<Sender>((name) => names.roots.get(name) ?? name),
    ],
  });
  for (const type of Object.values(wrapped.getTypeMap())) {
    if (isObjectType(type) && !isIntrospectionType(type))
      for (const field of Object.values(type.getFields())) tell(field);
  }
  return wrapped;
}

/** A root of which callers see nothing is not there: a type without fields cannot be. */
function withoutEmptyRoots(schema: GraphQLSchema, hidden: SubschemaNames['hidden']): GraphQLSchema {
  const isEmpty = (root: 'Mutation' | 'Subscription', type: GraphQLObjectType | null | undefined): boolean =>
    type != null && Object.keys(type.getFields()).every((field) => hidden.has(`${root}.${field}`));
  const { mutation, subscription, types, ...config } = schema.toConfig();
  const gone = [
    ...(isEmpty('Mutation', mutation) ? [mutation] : []),
    ...(isEmpty('Subscription', subscription) ? [subscription] : []),
  ];
  if (gone.length === 0) return schema;
  return new GraphQLSchema({
    ...config,
    mutation: gone.includes(mutation) ? null : mutation,
    subscription: gone.includes(subscription) ? null : subscription,
    types: types.filter((type) => !gone.some((root) => root === type)),
  });
}

async function* only(result: () => Promise<SubschemaResult>): AsyncGenerator<SubschemaResult, void, undefined> {
  yield await result();
}

/** What is no value of its type becomes null without a word: here it becomes an error. */
function tell(field: GraphQLField<unknown, unknown>): void {
  const { resolve } = field;
  if (resolve === undefined) return;
  field.resolve = (parent, given, context, info) => {
    const value = resolve(parent, given, context, info);
    const sent = isRecord(parent) ? parent[String(info.path.key)] : null;
    if (isLost(sent, value)) throw new GraphQLError('a value that is none of its type');
    return value;
  };
}

/** Whether a value, or an item of a list, was sent and is not there any more. */
export function isLost(sent: unknown, value: unknown): boolean {
  if (sent === null || sent === undefined || sent instanceof Error) return false;
  if (!Array.isArray(sent) || !Array.isArray(value)) return value === null;
  return sent.some((item, index) => isLost(item, value[index]));
}

type Sender = SubschemaSender & Record<string, unknown>;

function operationOf(document: DocumentNode): {
  readonly operation: SubschemaRequest['operation'];
  readonly keys: ReadonlySet<string>;
} {
  const keys = new Set<string>();
  let operation: SubschemaRequest['operation'] = 'query';
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    operation = definition.operation;
    const stack = [...definition.selectionSet.selections];
    for (let selection = stack.pop(); selection !== undefined; selection = stack.pop()) {
      if (selection.kind === Kind.FIELD) keys.add(selection.alias?.value ?? selection.name.value);
      else if (selection.kind === Kind.INLINE_FRAGMENT) stack.push(...selection.selectionSet.selections);
    }
  }
  return { operation, keys };
}
