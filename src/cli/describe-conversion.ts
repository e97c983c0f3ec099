import type { conversions } from '../codec/index.js';

/** Texts of a conversion that are listed. */
const LISTED_MAX = 10;

/** A conversion in words: its kind and what stands beside it. */
export function describeConversion({ target, trims, nulls }: conversions.Conversion): string {
  const quoted = (texts: readonly string[]): string =>
    texts
      .slice(0, LISTED_MAX)
      .map((text) => JSON.stringify(text))
      .join(', ') + (texts.length > LISTED_MAX ? ', ...' : '');
  return [
    ...(target === null ? [] : [describeTarget(target)]),
    ...(trims ? ['trim'] : []),
    ...(nulls.length === 0 ? [] : [`null when ${quoted(nulls)}`]),
  ].join('; ');
}

function describeTarget(target: NonNullable<conversions.Conversion['target']>): string {
  const digits = (width: number | null): string => (width === null ? '' : `, ${width} digits`);
  switch (target.kind) {
    case 'boolean':
      return `boolean: ${JSON.stringify(target.texts.true)} or ${JSON.stringify(target.texts.false)}`;
    case 'enum':
      return `enum: ${[...target.texts]
        .slice(0, LISTED_MAX)
        .map(([name, text]) => `${name} ${JSON.stringify(text)}`)
        .join(', ')}${target.texts.size > LISTED_MAX ? ', ...' : ''}`;
    case 'decimal':
      return `decimal: ${target.places} places${digits(target.digits)}`;
    case 'integer':
      return `integer${digits(target.digits)}`;
    case 'dateTime':
      return `dateTime: ${target.pattern}${target.zone === null ? '' : ` in ${target.zone}`}`;
    case 'date':
    case 'time':
      return `${target.kind}: ${target.pattern}`;
  }
}
