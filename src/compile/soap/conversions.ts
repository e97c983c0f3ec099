import type { conversions } from '../../codec/index.js';
import type { ConvertKeys } from '../../config/graphql/convert-keys.js';
import type { schemaMapping } from '../../graphql/index.js';

/**
 * The conversion of a field or an argument; null without one. `enumName` and `path` as in
 * `FieldConversion`.
 */
export function fieldConversion(
  keys: ConvertKeys | undefined,
  enumName: string | null,
  path: readonly string[],
): schemaMapping.FieldConversion | null {
  if (keys === undefined) return null;
  const conversion: conversions.Conversion = {
    target: targetOf(keys),
    trims: keys.trim === true,
    nulls: keys.nullWhen ?? [],
  };
  return { conversion, enumName, path: [...path, 'convert'] };
}

function targetOf(keys: ConvertKeys): conversions.ConversionTarget | null {
  const { boolean, date, time, dateTime, decimal, zone = null, digits = null } = keys;
  if (boolean !== undefined) return { kind: 'boolean', texts: boolean };
  if (keys.enum !== undefined) return { kind: 'enum', texts: new Map(Object.entries(keys.enum)) };
  if (date !== undefined) return { kind: 'date', pattern: date };
  if (time !== undefined) return { kind: 'time', pattern: time };
  if (dateTime !== undefined) return { kind: 'dateTime', pattern: dateTime, zone };
  if (decimal !== undefined) return { kind: 'decimal', places: decimal, digits };
  return keys.integer === true ? { kind: 'integer', digits } : null;
}
