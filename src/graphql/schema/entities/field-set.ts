import { Kind, parse, type SelectionSetNode } from 'graphql';

/** The most characters of a field set, and the most fields. */
const CHARS_MAX = 1000;
const FIELDS_MAX = 32;

/**
 * The paths of the fields in a selection such as `id owner { country id }`, in its order; null for
 * a text that is none.
 */
export function pathsOfFieldSet(text: string): readonly (readonly string[])[] | null {
  const set = selectionOf(text);
  if (set === null) return null;
  const paths: (readonly string[])[] = [];
  const stack: { readonly set: SelectionSetNode; readonly above: readonly string[] }[] = [
    { set, above: [] },
  ];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    for (const node of at.set.selections) {
      if (node.kind !== Kind.FIELD || node.alias !== undefined) return null;
      if ((node.arguments ?? []).length + (node.directives ?? []).length > 0) return null;
      const path = [...at.above, node.name.value];
      if (node.selectionSet === undefined) {
        paths.push(path);
      } else {
        stack.push({ set: node.selectionSet, above: path });
      }
      if (paths.length > FIELDS_MAX) return null;
    }
  }
  return paths;
}

function selectionOf(text: string): SelectionSetNode | null {
  if (text.length > CHARS_MAX) return null;
  try {
    const [definition, ...others] = parse(`{ ${text} }`, { maxTokens: CHARS_MAX }).definitions;
    return definition?.kind === Kind.OPERATION_DEFINITION && others.length === 0
      ? definition.selectionSet
      : null;
  } catch {
    return null;
  }
}
