import { DIALECT_NAMES, DIALECTS } from '../../soap/dialect.js';
import type { Wildcard } from '../../wsdl/model.js';
import type { StartTag } from '../../xml/events.js';
import { XSI_URI } from '../plan/xsi.js';
import type { AttributeRules, TypeRules } from './rules.js';
import { keyOf } from './simple-rules.js';
import type { Trouble } from './violation.js';
import { allows } from './walk.js';

/**
 * Validates the attributes of an element, but for what `xsi` means; null where nothing is wrong. What SOAP,
 * WS-Security and MTOM put on any element is no part of the contract: `encodingStyle`, and everything of the namespaces of
 * `wsu:Id` and `xmime:contentType`.
 */
export function attributeTrouble(tag: StartTag, type: TypeRules): Trouble | null {
  let required = 0;
  for (let index = 0; index < tag.attributeCount; index++) {
    const uri = tag.attributeUri(index);
    if (uri === XSI_URI && XSI_NAMES.has(tag.attributeLocal(index))) continue;
    const rules = attributeOf(type, uri, tag.attributeLocal(index));
    if (rules === null) {
      if (type.kind === 'lax' || TOLERATED.has(uri) || isAllowed(type.anyAttribute, uri)) continue;
      return UNDECLARED;
    }
    const { declaration, simple } = rules;
    if (declaration.required) required++;
    if (simple.check === null && declaration.fixed === null) continue;
    const quick = declaration.fixed === null ? simple.quick : null;
    if (quick !== null && tag.attributePasses?.(index, quick) === true) continue;
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

const UNDECLARED: Trouble = { rule: 'attribute', what: 'is not declared', below: '/@*' };

/** The declaration of an attribute, or null. */
export function attributeOf({ attributes }: TypeRules, uri: string, local: string): AttributeRules | null {
  for (const rules of attributes) if (rules.local === local && rules.uri === uri) return rules;
  return null;
}

/** Global attributes are not of the model: what is let in is taken as it is. */
const isAllowed = (wildcard: Wildcard | null, uri: string): boolean => wildcard !== null && allows(wildcard, uri);

const isSameValue = ({ simple: { type } }: AttributeRules, a: string, b: string): boolean =>
  a === b || keyOf(type, a) === keyOf(type, b);

const XSI_NAMES: ReadonlySet<string> = new Set(['type', 'nil', 'schemaLocation', 'noNamespaceSchemaLocation']);

const TOLERATED: ReadonlySet<string> = new Set([
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd',
  'http://www.w3.org/2005/05/xmlmime',
  'http://www.w3.org/2004/11/xmlmime',
  ...DIALECT_NAMES.map((name) => DIALECTS[name].envelopeUri),
]);
