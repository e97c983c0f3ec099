import { isEnumType } from 'graphql';
import type { EventValue } from './event-values.js';

/** The form of values of this type, if `wanted` can never be equal to one; null: it may be. */
export function neverEqual({ type }: EventValue, wanted: string): string | null {
  if (type.name === 'Boolean') return wanted === 'true' || wanted === 'false' ? null : 'true or false';
  if (type.name === 'Int') return /^(?:0|-?[1-9]\d{0,9})$/.test(wanted) ? null : 'a whole number, as 7';
  if (!isEnumType(type)) return null;
  const values = type.getValues();
  if (values.some(({ name, value }) => name === wanted || String(value) === wanted)) return null;
  return `one of ${values
    .slice(0, VALUES_SHOWN)
    .map(({ name }) => name)
    .join(', ')}`;
}

const VALUES_SHOWN = 10;
