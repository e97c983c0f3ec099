import { DIALECT_NAMES, DIALECTS } from '../../soap/index.js';
import { ANYTHING, xsd } from '../../wsdl/index.js';
import type { StartTag } from '../../xml/index.js';
import { XSI_URI } from '../plan/xsi.js';
import type { IdentityAttribute } from './identity-scope.js';
import type { AttributeRules, SchemaRules, TypeRules } from './rules.js';
import { keyOf } from './simple-rules.js';
import type { BrokenRule } from './violation.js';

/**
 * Validates the attributes of an element, except those of `xsi`; null where all are valid.
 * Attributes that SOAP, WS-Security and MTOM put on any element are allowed: `encodingStyle`, and
 * the namespaces of `wsu:Id` and `xmime:contentType`.
 */
export function checkAttributes(
  tag: StartTag,
  type: TypeRules,
  schema: SchemaRules,
): BrokenRule | null {
  let required = 0;
  for (let index = 0; index < tag.attributeCount; index++) {
    const uri = tag.attributeUri(index);
    if (uri === XSI_URI && XSI_NAMES.has(tag.attributeLocal(index))) continue;
    const local = tag.attributeLocal(index);
    const own = attributeOf(type, uri, local);
    const rules = own ?? wildAttribute(type, uri, local, schema);
    if (rules === 'anything') continue;
    if ('rule' in rules) return rules;
    const { declaration, simple } = rules;
    if (own !== null && declaration.required) {
      required++;
    }
    if (simple.check === null && declaration.fixed === null) continue;
    const fastTest = declaration.fixed === null ? simple.fastTest : null;
    if (fastTest !== null && tag.attributePasses?.(index, fastTest) === true) continue;
    const value = tag.attributeValue(index);
    const what = simple.check?.(value) ?? null;
    if (what !== null) return { rule: 'value', what, below: `/@${rules.local}` };
    if (declaration.fixed !== null && !isSameValue(rules, value, declaration.fixed)) {
      return { rule: 'value', what: 'must have its fixed value', below: `/@${rules.local}` };
    }
  }
  if (required === type.requiredAttributes) return null;
  const missing = type.attributes.find(({ declaration, uri, local }) => {
    return declaration.required && tag.attribute(uri, local) === null;
  });
  return { rule: 'attribute', what: 'is required', below: `/@${missing?.local ?? '*'}` };
}

const UNDECLARED: BrokenRule = { rule: 'attribute', what: 'is not declared', below: '/@*' };
const UNKNOWN: BrokenRule = {
  rule: 'attribute',
  what: 'is not declared, and must be here',
  below: '/@*',
};

/** The declaration of an attribute, or null. */
function attributeOf({ attributes }: TypeRules, uri: string, local: string): AttributeRules | null {
  for (const rules of attributes) {
    if (rules.local === local && rules.uri === uri) return rules;
  }
  return null;
}

/**
 * The rules for an attribute that the type does not declare (XSD 1.0 part 1 sections 3.4.4 and
 * 3.10.4).
 */
function wildAttribute(
  { kind, anyAttribute }: TypeRules,
  uri: string,
  local: string,
  schema: SchemaRules,
): AttributeRules | BrokenRule | 'anything' {
  if (TOLERATED.has(uri)) return 'anything';
  const wildcard = kind === 'lax' ? ANYTHING : anyAttribute;
  if (wildcard === null || !xsd.allows(wildcard, uri)) return UNDECLARED;
  if (wildcard.process === 'skip') return 'anything';
  const known = schema.globalAttribute(uri, local);
  if (known !== null) return known;
  return wildcard.process === 'lax' || xsd.isBuiltInAttributeNamespace(uri) ? 'anything' : UNKNOWN;
}

/**
 * The attributes of an element that are IDs or references to them, also those that a wildcard
 * allows.
 */
export function identitiesIn(
  tag: StartTag,
  type: TypeRules,
  schema: SchemaRules,
): readonly AttributeRules[] {
  if (!schema.hasWildIdentities || (type.anyAttribute === null && type.kind !== 'lax')) {
    return type.identities;
  }
  const found = [...type.identities];
  for (let index = 0; index < tag.attributeCount; index++) {
    const uri = tag.attributeUri(index);
    const local = tag.attributeLocal(index);
    if (attributeOf(type, uri, local) !== null) continue;
    const rules = wildAttribute(type, uri, local, schema);
    if (rules !== 'anything' && 'simple' in rules && rules.simple.identity !== null) {
      found.push(rules);
    }
  }
  return found;
}

/**
 * The attributes of an element as identity constraints see them: with those that its type gives it.
 */
export function identityAttributes(
  tag: StartTag,
  type: TypeRules,
  schema: SchemaRules,
): readonly IdentityAttribute[] {
  const found: IdentityAttribute[] = [];
  for (let index = 0; index < tag.attributeCount; index++) {
    const uri = tag.attributeUri(index);
    const local = tag.attributeLocal(index);
    const simple =
      (attributeOf(type, uri, local) ?? schema.globalAttribute(uri, local))?.simple.type ?? null;
    found.push({ uri, local, value: tag.attributeValue(index), type: simple });
  }
  for (const { declaration, uri, local, simple } of type.attributes) {
    const value = declaration.default ?? declaration.fixed;
    if (value !== null && tag.attribute(uri, local) === null) {
      found.push({ uri, local, value, type: simple.type });
    }
  }
  return found;
}

const isSameValue = ({ simple: { type } }: AttributeRules, a: string, b: string): boolean =>
  a === b || keyOf(type, a) === keyOf(type, b);

const XSI_NAMES: ReadonlySet<string> = new Set([
  'type',
  'nil',
  'schemaLocation',
  'noNamespaceSchemaLocation',
]);

const TOLERATED: ReadonlySet<string> = new Set([
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd',
  'http://www.w3.org/2005/05/xmlmime',
  'http://www.w3.org/2004/11/xmlmime',
  ...DIALECT_NAMES.map((name) => DIALECTS[name].envelopeUri),
]);
