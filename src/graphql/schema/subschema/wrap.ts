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
  type DefinitionNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  GraphQLSchema,
  isIntrospectionType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  print,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { isRecord } from '../../../core/index.js';
import type { Subschema, SubschemaNames, SubschemaRequest } from '../fields/subschema.js';
import { isFieldOwner } from '../types/field-owner.js';
import { isLost } from './answer-shaper.js';
import { type RightsContext, ruleOfField } from './enforce-rules.js';
import type { SubschemaResult } from './read-reply.js';
import { keepSentValue } from './sent-value.js';
import { keepTypenameOnly } from './typename-only.js';

/** The context that wrapped schemas are executed with. */
export interface SubschemaSender extends RightsContext {
  send(request: SubschemaRequest, keys: ReadonlySet<string>): Promise<SubschemaResult>;
}

/**
 * Wraps a subschema under its names in the gateway: executing an operation against it, with a
 * `SubschemaSender` as the context, sends the same in the upstream's names. Hidden parts are not in
 * it. The only importer of `@graphql-tools/wrap`, and loaded where a service speaks GraphQL.
 */
export function wrapSubschema(
  subschema: Pick<Subschema, 'name' | 'schema' | 'rules'>,
  names: SubschemaNames,
): GraphQLSchema {
  const { name: service, schema } = subschema;
  const { hidden, fields } = names;
  const isShown = (type: string | undefined, field: string | undefined): boolean =>
    !hidden.has(`${type}.${field}`);
  const fieldName = (type: string, field: string): string =>
    fields.get(`${type}.${field}`) ?? field;
  const hidesFields = [...hidden].some((name) => name.includes('.'));
  const hides = [...hidden].some((name) => !name.includes('.'));
  const wrapped = wrapSchema<Sender>({
    schema: withoutEmptyRoots(schema, hidden),
    batch: true,
    executor: ({ document, variables, context }) => {
      if (context === undefined) throw new Error('a subschema that is executed without a sender');
      const pruned = pruneRequest({ document, variables: variables ?? {} }, subschema, context);
      const { keys, operation } = operationOf(pruned.document);
      const request = {
        service,
        operation,
        query: print(pruned.document),
        variables: pruned.variables,
      };
      const result = (): Promise<SubschemaResult> => context.send(request, keys);
      // The type of the value is checked when it is read with the schema.
      return operation === 'subscription'
        ? (only(result) as AsyncIterable<never>)
        : (result() as Promise<never>);
    },
    transforms: [
      {
        transformRequest: (request) => ({
          ...request,
          document: keepTypenameOnly(request.document),
        }),
        transformResult: keepSentValue,
      },
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
      new RenameRootFields<Sender>(
        (root, field) => names.rootFields.get(`${root}.${field}`) ?? field,
      ),
      new RenameTypes<Sender>((name) => names.types.get(name) ?? name),
      new RenameRootTypes<Sender>((name) => names.roots.get(name) ?? name),
    ],
  });
  for (const type of Object.values(wrapped.getTypeMap())) {
    if (isObjectType(type) && !isIntrospectionType(type)) {
      for (const field of Object.values(type.getFields())) {
        failOnLoss(field);
      }
    }
  }
  return wrapped;
}

/** Removes roots whose fields are all hidden: a type without fields is invalid. */
function withoutEmptyRoots(schema: GraphQLSchema, hidden: SubschemaNames['hidden']): GraphQLSchema {
  const isEmpty = (
    root: 'Mutation' | 'Subscription',
    type: GraphQLObjectType | null | undefined,
  ): boolean =>
    type != null && Object.keys(type.getFields()).every((field) => hidden.has(`${root}.${field}`));
  const { mutation, subscription, types, ...config } = schema.toConfig();
  const empty = [
    ...(isEmpty('Mutation', mutation) ? [mutation] : []),
    ...(isEmpty('Subscription', subscription) ? [subscription] : []),
  ];
  if (empty.length === 0) return schema;
  return new GraphQLSchema({
    ...config,
    mutation: empty.includes(mutation) ? null : mutation,
    subscription: empty.includes(subscription) ? null : subscription,
    types: types.filter((type) => !empty.some((root) => root === type)),
  });
}

async function* only(
  result: () => Promise<SubschemaResult>,
): AsyncGenerator<SubschemaResult, void, undefined> {
  yield await result();
}

/**
 * Makes an error of a value that has not the type of its field, which would be null without one.
 */
function failOnLoss(field: GraphQLField<unknown, unknown>): void {
  const { resolve } = field;
  if (resolve === undefined) return;
  field.resolve = (parent, values, context, info) => {
    const value = resolve(parent, values, context, info);
    const sent = isRecord(parent) ? parent[String(info.path.key)] : null;
    if (isLost(sent, value)) throw new GraphQLError('a value of another type');
    return value;
  };
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
      if (selection.kind === Kind.FIELD) {
        keys.add(selection.alias?.value ?? selection.name.value);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        stack.push(...selection.selectionSet.selections);
      }
    }
  }
  return { operation, keys };
}

/** A request for a subschema. */
interface Request {
  readonly document: DocumentNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Leaves out of a request what its caller may not have on any type, in the names of the upstream.
 * What the request then does not use any more goes too, as services refuse it.
 */
function pruneRequest(
  { document, variables }: Request,
  subschema: Pick<Subschema, 'schema' | 'rules'>,
  { rights, hiddenPrefix }: RightsContext,
): Request {
  if (rights === null || subschema.rules.size === 0) return { document, variables };
  const types = new TypeInfo(subschema.schema);
  let isPruned = false;
  const pruned = visit(
    document,
    visitWithTypeInfo(types, {
      Field(node) {
        const parent = types.getParentType();
        if (!isFieldOwner(parent)) return undefined;
        if (hiddenPrefix !== null && node.alias?.value.startsWith(hiddenPrefix) === true) {
          return undefined;
        }
        const decision = rights.decide(ruleOfField(subschema, parent, node.name.value));
        if (decision === null || decision === 'last4' || decision === 'hash') return undefined;
        isPruned = true;
        return null;
      },
    }),
  );
  return isPruned ? withoutUnused(withoutEmpty(pruned), variables) : { document, variables };
}

/** A selection must have a field. */
const withoutEmpty = (document: DocumentNode): DocumentNode =>
  visit(document, {
    SelectionSet: (node) =>
      node.selections.length > 0
        ? undefined
        : {
            ...node,
            selections: [{ kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } }],
          },
  });

function withoutUnused(document: DocumentNode, variables: Request['variables']): Request {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const fragments = new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
    ),
  );
  const used = new Set<string>();
  const names = new Set<string>();
  const stack: DocumentNode['definitions'][number][] = [...operations];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    visit(node, {
      VariableDefinition: () => false,
      Variable: ({ name }) => void names.add(name.value),
      FragmentSpread: ({ name }) => {
        const fragment = used.has(name.value) ? undefined : fragments.get(name.value);
        used.add(name.value);
        if (fragment !== undefined) {
          stack.push(fragment);
        }
      },
    });
  }
  const definitions = document.definitions.flatMap((node): readonly DefinitionNode[] => {
    if (node.kind === Kind.FRAGMENT_DEFINITION) return used.has(node.name.value) ? [node] : [];
    return node.kind === Kind.OPERATION_DEFINITION ? [withVariables(node, names)] : [node];
  });
  const sent = Object.fromEntries(Object.entries(variables).filter(([name]) => names.has(name)));
  return { document: { ...document, definitions }, variables: sent };
}

const withVariables = (
  node: OperationDefinitionNode,
  names: ReadonlySet<string>,
): OperationDefinitionNode => ({
  ...node,
  variableDefinitions: (node.variableDefinitions ?? []).filter(({ variable }) =>
    names.has(variable.name.value),
  ),
});
