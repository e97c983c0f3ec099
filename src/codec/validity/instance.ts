import type { StartTag } from '../../xml/index.js';
import { trimXml } from '../plan/lexical.js';
import { resolveQName, XSI_URI } from '../plan/xsi.js';
import { isAllowedType } from './derivation.js';
import type { ElementRules, SchemaRules, TypeRules } from './rules.js';
import type { BrokenRule } from './violation.js';

/** The attributes of `xsi` on an element. */

const finding = (
  rule: BrokenRule['rule'],
  what: string,
  attribute: 'type' | 'nil',
): BrokenRule => ({
  rule,
  what,
  below: `/@xsi:${attribute}`,
});

const NOT_DECLARED = finding('type', 'names a type that is not declared', 'type');
const NOT_DERIVED = finding(
  'type',
  'names a type that is not derived from the declared one',
  'type',
);
const NOT_NILLABLE = finding('nil', 'must not be nil', 'nil');
const NOT_BOOLEAN = finding('value', 'must be true or false', 'nil');
const FIXED = finding('nil', 'must have its fixed value', 'nil');

/** The type of an element: that of its xsi:type, else the declared one. */
export function instanceType(
  tag: StartTag,
  element: ElementRules,
  schema: SchemaRules,
): TypeRules | BrokenRule {
  const lexical = tag.attribute(XSI_URI, 'type');
  if (lexical === null) return element.type;
  const type = schema.named(resolveQName(tag, lexical));
  // An undeclared element may have an undeclared type.
  if (type === null) return element === schema.undeclared ? element.type : NOT_DECLARED;
  return isAllowedType(element.declaration, type) ? schema.type(type) : NOT_DERIVED;
}

/** Whether an element is nil. */
export function nilOf(tag: StartTag, { declaration }: ElementRules): boolean | BrokenRule {
  const lexical = tag.attribute(XSI_URI, 'nil');
  if (lexical === null) return false;
  // cvc-elt.3.1: xsi:nil is not allowed even with false.
  if (!declaration.nillable) return NOT_NILLABLE;
  const nil = trimXml(lexical);
  const isNil = nil === 'true' || nil === '1';
  if (!isNil) return nil === 'false' || nil === '0' ? false : NOT_BOOLEAN;
  return declaration.fixed === null ? true : FIXED;
}
