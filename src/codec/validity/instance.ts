import type { StartTag } from '../../xml/events.js';
import { trimXml } from '../plan/lexical.js';
import { resolveQName, XSI_URI } from '../plan/xsi.js';
import { maySay } from './derivation.js';
import type { ElementRules, SchemaRules, TypeRules } from './rules.js';
import type { Trouble } from './violation.js';

/** What an element says of itself by the attributes of `xsi`. */

const trouble = (rule: Trouble['rule'], what: string, attribute: 'type' | 'nil'): Trouble => ({
  rule,
  what,
  below: `/@xsi:${attribute}`,
});

const NOT_DECLARED = trouble('type', 'names a type that is not declared', 'type');
const NOT_DERIVED = trouble('type', 'names a type that is not derived from the declared one', 'type');
const NOT_NILLABLE = trouble('nil', 'must not be nil', 'nil');
const NOT_BOOLEAN = trouble('value', 'must be true or false', 'nil');
const FIXED = trouble('nil', 'must have its fixed value', 'nil');

/** The type of an element: by its own word, if it has one that counts. */
export function typeOf(tag: StartTag, element: ElementRules, schema: SchemaRules): TypeRules | Trouble {
  const lexical = tag.attribute(XSI_URI, 'type');
  if (lexical === null) return element.type;
  const type = schema.named(resolveQName(tag, lexical));
  // What is declared nowhere may be of a type that is declared nowhere.
  if (type === null) return element === schema.undeclared ? element.type : NOT_DECLARED;
  return maySay(element.declaration, type) ? schema.type(type) : NOT_DERIVED;
}

/** Whether an element is nil. */
export function nilOf(tag: StartTag, { declaration }: ElementRules): boolean | Trouble {
  const lexical = tag.attribute(XSI_URI, 'nil');
  if (lexical === null) return false;
  // cvc-elt.3.1: not even to say that it is not.
  if (!declaration.nillable) return NOT_NILLABLE;
  const nil = trimXml(lexical);
  const isNil = nil === 'true' || nil === '1';
  if (!isNil) return nil === 'false' || nil === '0' ? false : NOT_BOOLEAN;
  return declaration.fixed === null ? true : FIXED;
}
