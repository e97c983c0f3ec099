import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  type InlineFragmentNode,
  isIntrospectionType,
  isUnionType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parseType,
  type SelectionNode,
  type SelectionSetNode,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import { collections } from '../../../core/index.js';
import type { SubschemaField, SubschemaLinks, SubschemaPlan } from '../fields/subschema.js';
import type { Link, LinkBatch, LinkTable } from '../links/link.js';
import type { PlannedSubschemaField, SubschemaLinkPlanner } from '../links/link-plan.js';
import { type Fragments, type PlanContext, responseKey } from '../output/reply-plan.js';
import { isFieldOwner } from '../types/field-owner.js';
import { ROOTS, rootOf, rootTypes } from '../types/roots.js';
import { LinkRewriter, path, plain, typeOfLinkedField } from './link-rewriter.js';

/** Plans the requests to subschemas, for one operation of a document. */
export class SubschemaPlanner implements SubschemaLinkPlanner {
  readonly #operation: OperationDefinitionNode;
  readonly #context: PlanContext;
  readonly #table: LinkTable;
  readonly #prefix: string;
  readonly #met: (link: Link, node: FieldNode) => void;

  /** `met` is called for each link in selections on subschemas. */
  constructor(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    context: PlanContext,
    table: LinkTable,
    met: (link: Link, node: FieldNode) => void,
  ) {
    this.#met = met;
    this.#operation = operation;
    this.#context = context;
    this.#table = table;
    this.#prefix = freePrefix(document);
  }

  /** Plans a field of the root: its arguments are in the document. */
  root(field: SubschemaField, nodes: readonly FieldNode[]): PlannedSubschemaField {
    const rewriter = this.#rewriter(field, nodes);
    const type = rewriter.typeOf(field);
    const written = nodes.map((node) => withSelection(node, rewriter.set(node.selectionSet, type)));
    const request = {
      field,
      key: responseKey(nodes[0]),
      nodes,
      argumentVariables: new Map(),
      batch: null,
    };
    return this.#plan(request, written, rewriter, this.#operation.operation);
  }

  /** Plans the field that a link calls: its arguments are values. */
  linked(
    field: SubschemaField,
    nodes: readonly FieldNode[],
    batch: LinkBatch | null,
  ): PlannedSubschemaField {
    const rewriter = this.#rewriter(field, nodes);
    const type = rewriter.typeOf(field);
    const key = `${this.#prefix}k`;
    const steps = batch === null ? [] : batch.items;
    const itemType = rewriter.along(type, steps);
    const inner = nodes.flatMap(
      ({ selectionSet }) => rewriter.set(selectionSet, itemType)?.selections ?? [],
    );
    const keys = batch === null ? [] : [path(batch.key, key)];
    const selections = [...inner, ...keys];
    const below = steps.reduceRight<readonly SelectionNode[]>(
      (set, step) => [plain(step, step, set)],
      selections,
    );
    const args = field.wrapped.getQueryType()?.getFields()[field.name]?.args ?? [];
    const variables = new Map(args.map(({ name }, index) => [name, `${this.#prefix}a${index}`]));
    const node: FieldNode = {
      ...plain(field.name, 'answer', below),
      arguments: [...variables].map(([name, variable]) => ({
        kind: Kind.ARGUMENT,
        name: { kind: Kind.NAME, value: name },
        value: variableNode(variable),
      })),
    };
    const found =
      batch === null ? null : { items: batch.items, key, keySteps: batch.key.length - 1 };
    const request = { field, key: 'answer', nodes, argumentVariables: variables, batch: found };
    return this.#plan(request, [node], rewriter, OperationTypeNode.QUERY);
  }

  #rewriter({ wrapped }: SubschemaField, nodes: readonly FieldNode[]): LinkRewriter {
    return new LinkRewriter(wrapped, this.#table, this.#context, this.#prefix, nodes, this.#met);
  }

  #plan(
    request: Omit<SubschemaPlan, 'document' | 'variables' | 'nested' | 'links'>,
    written: readonly FieldNode[],
    rewriter: LinkRewriter,
    operation: OperationTypeNode,
  ): PlannedSubschemaField {
    const walk = rewriter.walkOf(request.nodes);
    const fields = written.map(moveConditions);
    const fragments = reached(fields, rewriter.fragments).map(moveConditions);
    const used = variablesIn([...fields, ...fragments]);
    const own = (this.#operation.variableDefinitions ?? []).filter(({ variable }) =>
      used.has(variable.name.value),
    );
    const added = [...request.argumentVariables].map(([name, variable]) =>
      definitionOf(request.field, name, variable),
    );
    const document: DocumentNode = {
      kind: Kind.DOCUMENT,
      definitions: [
        {
          kind: Kind.OPERATION_DEFINITION,
          operation,
          variableDefinitions: [...own, ...added],
          selectionSet: { kind: Kind.SELECTION_SET, selections: fields },
        },
        ...fragments,
      ],
    };
    this.#context.countBytes?.(bytesOf(document));
    const links: SubschemaLinks | null =
      walk === null ? null : { prefix: this.#prefix, feeds: rewriter.feeds };
    const variables = own.map(({ variable }) => variable.name.value);
    const nested = nestedRootFields(
      written,
      rewriter.typeOf(request.field),
      request.field.wrapped,
      this.#context.fragments,
    );
    return { plan: { ...request, document, variables, nested, links }, walk };
  }
}

/**
 * Moves the conditions of the fields in a selection to inline fragments around them.
 * `@graphql-tools/delegate` sends the first of several fields with one response key, whatever their
 * conditions are: `{ name @skip(if: true) name }`.
 */
function moveConditions<Node extends FieldNode | FragmentDefinitionNode>(node: Node): Node {
  const { selectionSet } = node;
  if (selectionSet === undefined) return node;
  const moved = visit(selectionSet, {
    Field: {
      leave(field): InlineFragmentNode | undefined {
        const { directives = [] } = field;
        const conditions = directives.filter(isCondition);
        if (conditions.length === 0) return undefined;
        const selections = [
          { ...field, directives: directives.filter((directive) => !isCondition(directive)) },
        ];
        const set: SelectionSetNode = { kind: Kind.SELECTION_SET, selections };
        return { kind: Kind.INLINE_FRAGMENT, directives: conditions, selectionSet: set };
      },
    },
  });
  return moved === selectionSet ? node : { ...node, selectionSet: moved };
}

const isCondition = ({ name }: DirectiveNode): boolean =>
  name.value === 'skip' || name.value === 'include';

/** About the memory of a document and the rest of its plan. */
function bytesOf(document: DocumentNode): number {
  let nodes = 0;
  visit(document, {
    enter() {
      nodes++;
    },
  });
  return 2000 + 200 * nodes;
}

/** A prefix that no name of a document begins with. */
function freePrefix(document: DocumentNode): string {
  let underscores = 0;
  visit(document, {
    Name({ value }) {
      const match = /^soapstone(_+)/.exec(value);
      underscores = Math.max(underscores, match?.[1]?.length ?? 0);
    },
  });
  return `soapstone${'_'.repeat(underscores + 1)}`;
}

function reached(
  nodes: readonly FieldNode[],
  fragmentOf: (name: string) => FragmentDefinitionNode | null,
): readonly FragmentDefinitionNode[] {
  const found = new Map<string, FragmentDefinitionNode>();
  const stack: (FieldNode | FragmentDefinitionNode)[] = [...nodes];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    visit(node, {
      FragmentSpread({ name }) {
        const fragment = found.has(name.value) ? null : fragmentOf(name.value);
        if (fragment === null) return;
        found.set(name.value, fragment);
        stack.push(fragment);
      },
    });
  }
  return [...found.values()];
}

function variablesIn(nodes: readonly (FieldNode | FragmentDefinitionNode)[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const node of nodes) {
    visit(node, {
      Variable({ name }) {
        names.add(name.value);
      },
    });
  }
  return names;
}

function definitionOf(
  field: SubschemaField,
  name: string,
  variable: string,
): VariableDefinitionNode {
  const argument = field.wrapped
    .getQueryType()
    ?.getFields()
    [field.name]?.args.find((each) => each.name === name);
  if (argument === undefined) throw new Error('an argument that was there');
  // A non-null argument with a default may be omitted.
  const type = argument.defaultValue === undefined ? argument.type : getNullableType(argument.type);
  return {
    kind: Kind.VARIABLE_DEFINITION,
    variable: variableNode(variable),
    type: parseType(String(type)),
  };
}

const variableNode = (name: string) =>
  ({ kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: name } }) as const;

const withSelection = (node: FieldNode, selectionSet: SelectionSetNode | undefined): FieldNode =>
  selectionSet === undefined ? node : { ...node, selectionSet };

/**
 * The fields of root types that are selected further below, as `Query.customer`: objects of a
 * subschema may lead back to its root, where the same access rules hold.
 */
function nestedRootFields(
  nodes: readonly FieldNode[],
  type: GraphQLNamedType | undefined,
  schema: GraphQLSchema,
  fragments: Fragments,
): readonly string[] {
  if (!leadsBack(schema)) return [];
  const found = new Set<string>();
  const spread = new Set<string>();
  const stack: {
    readonly set: SelectionSetNode | undefined;
    readonly type: GraphQLNamedType | undefined;
  }[] = nodes.map(({ selectionSet }) => ({ set: selectionSet, type }));
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    for (const selection of step.set?.selections ?? []) {
      if (selection.kind === Kind.FIELD) {
        const name = selection.name.value;
        // One type may be several roots: then the rules of all of them hold.
        for (const root of ROOTS) {
          if (step.type === rootOf(schema, root)) {
            found.add(`${root}.${name}`);
          }
        }
        stack.push({ set: selection.selectionSet, type: typeOfLinkedField(step.type, name) });
        continue;
      }
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        if (spread.has(selection.name.value)) continue;
        spread.add(selection.name.value);
      }
      const fragment =
        selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
      const condition = fragment?.typeCondition?.name.value;
      const inner = condition === undefined ? step.type : schema.getType(condition);
      stack.push({ set: fragment?.selectionSet, type: inner });
    }
  }
  return [...found];
}

/** Whether any field leads to a root type: few schemas have one. */
const leadsBack = collections.makeOncePer((schema: GraphQLSchema): boolean => {
  const roots = new Set<GraphQLNamedType>(rootTypes(schema));
  return Object.values(schema.getTypeMap()).some((type) => {
    if (isUnionType(type)) return type.getTypes().some((member) => roots.has(member));
    if (!isFieldOwner(type) || isIntrospectionType(type)) return false;
    if (roots.has(type) && type.getInterfaces().length > 0) return true;
    return Object.values(type.getFields()).some((field) => roots.has(getNamedType(field.type)));
  });
});
