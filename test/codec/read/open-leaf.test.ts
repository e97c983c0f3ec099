import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t from 'tap';
import type { Decoded, DecodeError, FieldSlot } from '../../../src/codec/plan/reply/reply-plan.js';
import { isRecord } from '../../../src/core/index.js';
import { child, object, read, reply, slot } from '../plans.js';

/*
 * An element may be read several times: an item of a list as the object that is selected, and for
 * the key that it is known by. Most of its children are leaves in each of these readings.
 */

const SELECTED = '=';

/** Children of an item, good and bad. */
const CHILDREN = [
  '<a>x</a>',
  '<a/>',
  '<a k="1">y</a>',
  '<a>p<!-- c -->q</a>',
  '<a><b>1</b></a>',
  '<b>7</b>',
  '<b>seven</b>',
  '<b/>',
  '<b xsi:nil="true"/>',
  '<c>12345678901</c>',
  '<c><![CDATA[5]]></c>',
  '<other><a>z</a></other>',
];

const TYPES: Readonly<Record<string, string>> = { a: 'string', b: 'int', c: 'long' };

const fields = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    alias: fc.constantFrom('', '2'),
    nonNull: fc.boolean(),
  }),
  { selector: ({ name, alias }) => name + alias, minLength: 1, maxLength: 4 },
);

const slots = fields.map((all) =>
  all.map(
    ({ name, alias, nonNull }): FieldSlot => ({
      ...child(name, TYPES[name] ?? 'string'),
      key: name + alias,
      nonNull,
    }),
  ),
);

const keySlots = slots.map((all) =>
  all.map((each): FieldSlot => ({ ...each, key: `${SELECTED}${each.key}`, nonNull: false })),
);

const listed = fc.array(fc.array(fc.constantFrom(...CHILDREN), { maxLength: 6 }), { maxLength: 3 });

const itemsRead = (all: readonly FieldSlot[], xml: string): Decoded =>
  read(reply(object(child('item', '[T]', object(...all))), 'unwrap'), xml);

const errorTexts = (errors: readonly DecodeError[]): readonly string[] =>
  errors.map(({ path, code, rule }) => JSON.stringify([path, code, rule])).sort();

const below = ({ path: [index = 0, ...rest], ...error }: DecodeError): DecodeError => ({
  ...error,
  path: [index, SELECTED, ...rest],
});

const itemsOf = ({ value }: Decoded): readonly unknown[] => (Array.isArray(value) ? value : []);

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Errors that a decoder lists. */
const LISTED_ERRORS = 10;

t.test('an element that several readings take has the value of each by itself', async (t) => {
  let compared = 0;
  fc.assert(
    fc.property(listed, slots, keySlots, fc.boolean(), (children, own, keys, isLast) => {
      const xml = children.map((each) => `<item>${each.join('')}</item>`).join('');
      const self = slot(SELECTED, { from: 'self' }, 'T', object(...own));
      const both = itemsRead(isLast ? [...keys, self] : [self, ...keys], xml);
      const [selected, known] = [itemsRead(own, xml), itemsRead(keys, xml)];
      if (selected.errors.length + known.errors.length > LISTED_ERRORS) return true;
      compared++;
      const errors = [...selected.errors.map(below), ...known.errors];
      const values = itemsOf(known).map((key, index) => ({
        ...(isRecord(key) ? key : {}),
        [SELECTED]: itemsOf(selected)[index],
      }));
      return (
        isDeepStrictEqual(plain(itemsOf(both)), plain(values)) &&
        isDeepStrictEqual(errorTexts(both.errors), errorTexts(errors))
      );
    }),
    { numRuns: 500 },
  );
  t.ok(compared > 250, `${compared} compared`);
});
