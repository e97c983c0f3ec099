import { namespaces } from '../../wsdl/index.js';
import type { StartTag } from '../../xml/index.js';
import type { Frame } from './frame.js';
import type { ElementRules, SchemaRules } from './rules.js';
import type { BrokenRule } from './violation.js';

/**
 * Namespaces of elements that .NET sends without a declaration in the WSDL: schemas, and the tables
 * with them.
 */
const DECLARED_ELSEWHERE: ReadonlySet<string> = new Set([
  namespaces.XSD,
  'urn:schemas-microsoft-com:xml-diffgram-v1',
]);

/** The rules of an element that a wildcard allows, or the rule it breaks; null: it is skipped. */
export function wildcardRules(
  schema: SchemaRules,
  parent: Frame,
  { uri, local }: StartTag,
  process: 'strict' | 'lax' | 'skip',
): ElementRules | BrokenRule | null {
  if (process === 'skip') return null;
  const known = schema.global(uri, local);
  if (known === null && DECLARED_ELSEWHERE.has(uri)) return null;
  if (known !== null || process === 'lax') return known ?? schema.undeclared;
  return {
    rule: 'element',
    what: 'is not declared, and must be here',
    below: `/*[${parent.children}]`,
  };
}
