import { Kind, parse, type SelectionSetNode } from 'graphql';

/** The most characters of a field set, and the most fields. */
const CHARS_MAX = 1000;
const FIELDS_MAX = 32;

/**
 * The paths of the fields in a selection such as `id owner { country id }`, in its order; null for
 * a text that is none, or that names a field twice.
 */
export function pathsOfFieldSet(text: string): readonly (readonly string[])[] | null {
  const set = selectionOf(text);
  const paths: (readonly string[])[] = [];
  if (set === null || !addPaths(set, [], paths)) return null;
  const distinct = new Set(paths.map((path) => path.join('.')));
  return distinct.size === paths.length ? paths : null;
}

/** False for what is no plain field, and for too many. It is as deep as the text has tokens. */
function addPaths(
  { selections }: SelectionSetNode,
  above: readonly string[],
  paths: (readonly string[])[],
): boolean {
  return selections.every((node) => {
    if (node.kind !== Kind.FIELD || node.alias !== undefined) return false;
    if ((node.arguments ?? []).length + (node.directives ?? []).length > 0) return false;
    const path = [...above, node.name.value];
    if (node.selectionSet !== undefined) return addPaths(node.selectionSet, path, paths);
    return paths.push(path) <= FIELDS_MAX;
  });
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
