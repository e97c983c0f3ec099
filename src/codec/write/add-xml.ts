import { letsIn } from '../../wsdl/open-content.js';
import type { EncodeElement } from '../plan/plan.js';
import { type AttributeMark, isAttribute, isSameName, type Mark } from './marks.js';

/**
 * Puts what a caller wrote as XML behind `marks`. Where it `isNamed`, it goes on with the element that is open: an
 * attribute that was written already is written once. What is wrong with it where it has another value, or null.
 */
export function addXml(marks: Mark[], xml: readonly Mark[], isNamed: boolean, lets: Lets = []): string | null {
  const [first] = xml;
  if (!isNamed && lets.length > 0 && first?.kind === 'open' && !letsIn(lets, first.name.uri)) return NOT_LET_IN;
  const written = isNamed ? attributesAtEnd(marks) : [];
  let isOwn = written.length > 0;
  for (const mark of xml) {
    isOwn &&= isAttribute(mark) || mark.kind === 'bindings';
    const same = isOwn && isAttribute(mark) ? written.find(({ name }) => isSameName(name, mark.name)) : undefined;
    if (same === undefined) marks.push(mark);
    else if (!isSameValue(same, mark)) return `must not have another ${same.name.local} than what it is given as`;
  }
  return null;
}

/** The elements that may stand somewhere; none: any. */
export type Lets = EncodeElement['wildcards'];

const NOT_LET_IN = 'must not be an element of this namespace';

/** The attributes that were written last, of the element that is open. */
function attributesAtEnd(marks: readonly Mark[]): readonly AttributeMark[] {
  const found: AttributeMark[] = [];
  for (let at = marks.length - 1; at >= 0; at--) {
    const mark = marks[at];
    if (mark === undefined || !isAttribute(mark)) break;
    found.push(mark);
  }
  return found;
}

const isSameValue = (a: AttributeMark, b: Mark): boolean =>
  a.kind === 'attribute'
    ? b.kind === 'attribute' && a.value === b.value
    : b.kind === 'name attribute' && isSameName(a.value, b.value) && a.suffix === b.suffix;
