import { collections } from '../../core/index.js';
import type { SimpleType } from '../../wsdl/index.js';
import { treatWhiteSpace } from '../plan/lexical.js';
import { compileSimple } from '../values/simple-validity.js';
import { valueSpaceOf } from '../values/value-space.js';
import { fastTestOf, namesOf, type PlainForm, plainFormOf, type TextTest } from './fast-path.js';

/** How the text of a simple type is validated. */
export interface SimpleRules {
  readonly type: SimpleType;
  /**
   * The public text of the rule that a lexical form breaks, or null. Null where every text is
   * valid.
   */
  readonly check: ((lexical: string) => string | null) | null;
  /** The form that most valid texts have; null where none is known. */
  readonly form: PlainForm | null;
  /** True for the bytes of texts of that form; false decides nothing. */
  readonly fastTest: TextTest | null;
  /** base64 without facets: it is validated as it streams, and may be of any length. */
  readonly isStreamable: boolean;
  /** Whether its values are IDs, or references to them. */
  readonly identity: 'id' | 'idref' | 'idrefs' | null;
}

/** How values of a simple type are validated. */
export const simpleRulesOf = collections.makeOncePer((type: SimpleType): SimpleRules => {
  const isPlain =
    type.variety === 'atomic' && type.enumeration === null && namesOf(type.facets).length === 0;
  const isFree = isPlain && ANY_TEXT.has(type.builtIn);
  const check = isFree ? null : compileSimple(withoutNames(type));
  const form = check === null ? null : plainFormOf(type, check);
  return {
    type,
    check,
    form,
    fastTest: form === null ? null : fastTestOf(form),
    isStreamable: isPlain && type.builtIn === 'base64Binary',
    identity: identityOf(type),
  };
});

/**
 * Types for which every text is valid, whatever their white space treatment (XSD 1.0 part 2
 * sections 3.2.1, 3.2.17, 3.3.1).
 */
const ANY_TEXT: ReadonlySet<string> = new Set(['string', 'normalizedString', 'token', 'anyURI']);

/**
 * QNames are equal by namespace, which a list of lexical forms does not have: only the form is
 * validated.
 */
function withoutNames(type: SimpleType): SimpleType {
  const isName = type.builtIn === 'QName' || type.builtIn === 'NOTATION';
  return isName && type.enumeration !== null ? { ...type, enumeration: null } : type;
}

function identityOf({ variety, builtIn }: SimpleType): SimpleRules['identity'] {
  if (variety === 'union') return null;
  if (builtIn === 'ID') return variety === 'list' ? null : 'id';
  return builtIn === 'IDREF' ? (variety === 'list' ? 'idrefs' : 'idref') : null;
}

/**
 * Equal for equal values, and for those alone. `lexical` is valid, as it stands in the document.
 */
export function keyOf(type: SimpleType, lexical: string): string {
  if (type.variety === 'union') {
    const member = type.members.find(
      (candidate) => (simpleRulesOf(candidate).check?.(lexical) ?? null) === null,
    );
    return member === undefined ? lexical : keyOf(member, lexical);
  }
  const { primitive, whiteSpace, key } = valueSpaceOf(type.builtIn);
  if (type.variety === 'atomic') {
    return `${primitive} ${key(treatWhiteSpace(lexical, type.facets.whiteSpace ?? whiteSpace))}`;
  }
  const items = treatWhiteSpace(lexical, 'collapse').split(' ');
  return `list ${items.map((item) => (type.item === null ? key(item) : keyOf(type.item, item))).join(' ')}`;
}
