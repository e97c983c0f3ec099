import {
  type ASTNode,
  type DocumentNode,
  isTypeDefinitionNode,
  isTypeExtensionNode,
  Kind,
  type NamedTypeNode,
  visit,
} from 'graphql';

/**
 * Removes what `@inaccessible` of Apollo hides, and the directive: types, fields, arguments and
 * enumeration values. A type that is hidden leaves unions and is no interface of others; a field
 * that still refers to it makes the schema invalid.
 */
export function removeInaccessible(document: DocumentNode): DocumentNode {
  const hidden = new Set<string>();
  for (const node of document.definitions) {
    if (isType(node) && isInaccessible(node)) {
      hidden.add(node.name.value);
    }
  }
  const visible = (types: readonly NamedTypeNode[] = []): readonly NamedTypeNode[] =>
    types.filter(({ name }) => !hidden.has(name.value));
  return visit(document, {
    enter(node) {
      if (node.kind === Kind.DIRECTIVE_DEFINITION && node.name.value === 'inaccessible') {
        return null;
      }
      // It cannot hide the schema itself: there it stays, and is refused as a directive that is not
      // defined.
      if (node.kind === Kind.SCHEMA_DEFINITION || node.kind === Kind.SCHEMA_EXTENSION) {
        return undefined;
      }
      if (isInaccessible(node) || (isType(node) && hidden.has(node.name.value))) return null;
      if (hidden.size === 0) return undefined;
      if ('interfaces' in node) return { ...node, interfaces: visible(node.interfaces) };
      return 'types' in node ? { ...node, types: visible(node.types) } : undefined;
    },
  });
}

const isType = (node: ASTNode) => isTypeDefinitionNode(node) || isTypeExtensionNode(node);

const isInaccessible = (node: ASTNode): boolean =>
  'directives' in node &&
  node.directives?.some(({ name }) => name.value === 'inaccessible') === true;
