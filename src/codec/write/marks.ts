import type { QName } from '../../xml/events.js';

/** What content is made of: written down first, so that every name is known before the first byte. */
export type Mark =
  | { readonly kind: 'open'; readonly name: QName }
  | { readonly kind: 'attribute'; readonly name: QName; readonly value: string }
  /** An attribute whose value is a name: xsi:type. `suffix` stands behind it: the size of an array. */
  | { readonly kind: 'name attribute'; readonly name: QName; readonly value: QName; readonly suffix: string }
  | { readonly kind: 'text'; readonly value: string }
  /** Text that is a name. */
  | { readonly kind: 'name'; readonly value: QName }
  | { readonly kind: 'close' };

export const CLOSE: Mark = { kind: 'close' };
