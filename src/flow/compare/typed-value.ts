import { scalars } from '../../codec/index.js';
import { isNcName, type StartTag } from '../../xml/index.js';
import type { TextShape } from './reply-types.js';

/** A text as its type means it: equal for equal values. `bound` is the namespace of its prefix. */
export function typedValue(text: string, shape: TextShape | null, bound: string | null): string {
  // Without a type a text that begins with a prefix in force may be a QName.
  if (shape === null) return bound === null ? text : qualified(text.trim(), bound);
  const space = scalars.valueSpaceOf(shape.builtIn);
  if (shape.isList === true) {
    const items = scalars.treatWhiteSpace(text, 'collapse');
    return items === ''
      ? ''
      : items
          .split(' ')
          .map((item) => keyOf(item, space, null))
          .join(' ');
  }
  const lexical = scalars.treatWhiteSpace(text, shape.whiteSpace ?? space.whiteSpace);
  return keyOf(lexical, space, bound);
}

function keyOf(
  lexical: string,
  { primitive, rule, key }: ReturnType<typeof scalars.valueSpaceOf>,
  bound: string | null,
): string {
  if (rule(lexical) !== null) return lexical;
  if (primitive === 'QName') return bound === null ? lexical : qualified(lexical, bound);
  return key(lexical);
}

const qualified = (name: string, uri: string): string =>
  `{${uri}}${name.slice(name.indexOf(':') + 1)}`;

/** The namespace of the prefix that a text begins with, where it has the form of a QName. */
export function boundIn(text: string, tag: StartTag): string | null {
  const colon = text.indexOf(':');
  if (colon <= 0) return null;
  const prefix = text.slice(0, colon).trimStart();
  return prefix !== 'xml' && isNcName(prefix) ? tag.namespace(prefix) : null;
}
