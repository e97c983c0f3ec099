import type { Frame } from './frame.js';
import { keyOf, type SimpleRules } from './simple-rules.js';

const NOT_FIXED = 'must have its fixed value';

/**
 * The rule that the text of an element of simple type breaks, or null: cvc-elt.5 of XSD 1.0 part 1
 * section 3.3.4.
 */
export function checkText({ element, type, text }: Frame, simple: SimpleRules): string | null {
  const { default: initial, fixed } = element.declaration;
  const preset = text === '' ? (initial ?? fixed) : null;
  // The preset value must be valid for the type that xsi:type names, too.
  if (preset !== null) return type === element.type ? null : (simple.check?.(preset) ?? null);
  const what = simple.check?.(text) ?? null;
  if (what !== null || fixed === null) return what;
  return keyOf(simple.type, text) === keyOf(simple.type, fixed) ? null : NOT_FIXED;
}

/** Returns the rule of cvc-elt.5 that content breaks which is no simple value, or null. */
export function checkContent({ element, type, text, children }: Frame): string | null {
  const { default: initial, fixed } = element.declaration;
  if (initial === null && fixed === null) return null;
  const mayHaveText = type.kind !== 'model' && type.kind !== 'empty';
  if (fixed !== null) {
    return mayHaveText && children === 0 && (text === '' || text === fixed) ? null : NOT_FIXED;
  }
  return mayHaveText || children > 0 ? null : 'is of a type that cannot have its default value';
}
