import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionNode,
  visit,
} from 'graphql';

/**
 * Adds `__typename` to selections that have nothing but inline fragments with it.
 * `@graphql-tools/delegate` removes these, and then the field around them, though a client may
 * select no more of an object.
 */
export function keepTypenameOnly(document: DocumentNode): DocumentNode {
  return visit(document, { Field: withTypename, FragmentDefinition: withTypename });
}

function withTypename<Node extends FieldNode | FragmentDefinitionNode>(
  node: Node,
): Node | undefined {
  const { selectionSet } = node;
  if (selectionSet === undefined || !selectionSet.selections.every(isTypenameFragment)) {
    return undefined;
  }
  return {
    ...node,
    selectionSet: { ...selectionSet, selections: [TYPENAME, ...selectionSet.selections] },
  };
}

const TYPENAME: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } };

const isTypenameFragment = (selection: SelectionNode): boolean =>
  selection.kind === Kind.INLINE_FRAGMENT &&
  selection.selectionSet.selections.every(
    (inner) => isTypename(inner) || isTypenameFragment(inner),
  );

const isTypename = (selection: SelectionNode): boolean =>
  selection.kind === Kind.FIELD &&
  selection.alias === undefined &&
  selection.name.value === '__typename';
