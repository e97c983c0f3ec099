import type { QName } from '../../xml/events.js';

/** What content is made of: written down first, so that every name is known before the first byte. */
export type Mark =
  | { readonly kind: 'open'; readonly name: QName }
  | { readonly kind: 'attribute'; readonly name: QName; readonly value: string }
  /** An attribute whose value is a name: xsi:type. `suffix` stands behind it: the size of an array. `more`: of a list. */
  | {
      readonly kind: 'name attribute';
      readonly name: QName;
      readonly value: QName;
      readonly suffix: string;
      readonly more?: readonly QName[];
    }
  /** What prefixes mean that texts and values of the element have: declared on it as they are. */
  | { readonly kind: 'bindings'; readonly bound: ReadonlyMap<string, string> }
  | { readonly kind: 'text'; readonly value: string }
  /** Text that is a name; `more`: a list of them. */
  | { readonly kind: 'name'; readonly value: QName; readonly more?: readonly QName[] }
  | { readonly kind: 'close' };

/** Of marks, an attribute. */
export type AttributeMark = Extract<Mark, { readonly kind: 'attribute' | 'name attribute' }>;

export const isAttribute = (mark: Mark): mark is AttributeMark =>
  mark.kind === 'attribute' || mark.kind === 'name attribute';

export const isSameName = (a: QName, b: QName): boolean => a.local === b.local && a.uri === b.uri;

export const CLOSE: Mark = { kind: 'close' };
