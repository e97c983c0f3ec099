import type { QName } from '../../../xml/index.js';

/**
 * A part of the content of a request. All are collected first, for every name must be known before
 * the first byte.
 */
export type ContentEvent =
  | { readonly kind: 'open'; readonly name: QName }
  | { readonly kind: 'attribute'; readonly name: QName; readonly value: string }
  /**
   * An attribute whose value is a name, such as xsi:type. `suffix` is appended to the name: an
   * array size, `[3]`. `more` marks a further item of a list.
   */
  | {
      readonly kind: 'name attribute';
      readonly name: QName;
      readonly value: QName;
      readonly suffix: string;
      readonly more?: readonly QName[];
    }
  /** Bindings of the prefixes in texts and values of the element: declared on it as they are. */
  | { readonly kind: 'bindings'; readonly bound: ReadonlyMap<string, string> }
  /**
   * The element declares the prefixes of names in its values itself, as readers need that take it
   * out of the message.
   */
  | { readonly kind: 'own names' }
  | { readonly kind: 'text'; readonly value: string }
  /** Text that is a name; `more`: a list of them. */
  | { readonly kind: 'name'; readonly value: QName; readonly more?: readonly QName[] }
  /** An Include that names a part of the package by its Content-ID. */
  | { readonly kind: 'include'; readonly id: string }
  | { readonly kind: 'close' };

/** An attribute, whatever its value is. */
export type AttributeEvent = Extract<
  ContentEvent,
  { readonly kind: 'attribute' | 'name attribute' }
>;

export const isAttribute = (event: ContentEvent): event is AttributeEvent =>
  event.kind === 'attribute' || event.kind === 'name attribute';

export const isSameName = (a: QName, b: QName): boolean => a.local === b.local && a.uri === b.uri;

export const CLOSE: ContentEvent = { kind: 'close' };
export const OWN_NAMES: ContentEvent = { kind: 'own names' };
