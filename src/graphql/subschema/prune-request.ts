import {
  type DefinitionNode,
  type DocumentNode,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Subschema } from '../fields/subschema.js';
import { type RightsContext, ruleOfField } from './enforce-rules.js';

/** A request for a subschema. */
interface Request {
  readonly document: DocumentNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Leaves out of a request what its caller may not have on any type, in the names of the upstream. What the request then
 * does not use any more goes too, as services refuse it.
 */
export function pruneRequest(
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
        if (!isObjectType(parent) && !isInterfaceType(parent)) return undefined;
        if (hiddenPrefix !== null && node.alias?.value.startsWith(hiddenPrefix) === true) return undefined;
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
        : { ...node, selections: [{ kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } }] },
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
        if (fragment !== undefined) stack.push(fragment);
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

const withVariables = (node: OperationDefinitionNode, names: ReadonlySet<string>): OperationDefinitionNode => ({
  ...node,
  variableDefinitions: (node.variableDefinitions ?? []).filter(({ variable }) => names.has(variable.name.value)),
});
