import { collections } from '../../core/index.js';
import type { SimpleType } from '../../wsdl/index.js';
import { compileSimple } from './simple-validity.js';
import { valueSpaceOf } from './value-space.js';

/**
 * Whether a pattern requires numbers in another form than the shortest: `[0-9]{3}` takes 007 and
 * not 7. Such values are strings, for a number loses its form. Found by trying samples.
 */
export const prescribesForm = collections.makeOncePer((type: SimpleType): boolean => {
  const isNumber = NUMBERS.has(valueSpaceOf(type.builtIn).primitive);
  if (!isNumber || type.variety !== 'atomic' || type.facets.patterns.length === 0) return false;
  const check = compileSimple(type);
  return SAMPLES.some(([written, plain]) => check(written) === null && check(plain) !== null);
});

const NUMBERS: ReadonlySet<string> = new Set(['decimal', 'float', 'double']);

/** More digits than a GraphQL Int may have. */
const WIDTH_MAX = 12;

/** Numbers in forms a pattern may require, and in the shortest form. */
const PLAIN_SAMPLES = ['0', '1', '7', '12', '123', '1234', '12345', '-1', '-7'];

const SAMPLES: readonly (readonly [written: string, plain: string])[] = PLAIN_SAMPLES.flatMap(
  (plain) => {
    const sign = plain.startsWith('-') ? '-' : '';
    const digits = plain.slice(sign.length);
    const widths = Array.from(
      { length: WIDTH_MAX - digits.length },
      (_, more) => digits.length + more + 1,
    );
    const forms = [
      ...widths.map((width) => sign + digits.padStart(width, '0')),
      ...[1, 2, 3, 4, 5, 6].map((decimals) => `${plain}.${'0'.repeat(decimals)}`),
      ...['.0E0', 'E0', '.0e0', 'e0', '.0E+00', '.0E00', '.00E00', '.'].map((end) => plain + end),
      ...(sign === '' ? [`+${plain}`] : []),
    ];
    return forms.map((written): readonly [string, string] => [written, plain]);
  },
);
