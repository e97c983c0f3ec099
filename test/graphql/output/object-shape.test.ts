import { GraphQLString } from 'graphql';
import t from 'tap';
import { LazyObjectShape } from '../../../src/graphql/schema/output/object-shape.js';
import { childOrder } from '../../../src/graphql/schema/types/child-order.js';
import type { FieldShape } from '../../../src/graphql/schema/types/shape.js';
import { complex, elements, one, STRING } from '../models.js';

/** The shape of an object, whose parts are made at their first use. */

const FIELD: FieldShape = {
  source: { from: 'child', name: { uri: 'urn:shop', local: 'city' }, default: null },
  list: false,
  nonNull: false,
  itemNonNull: false,
  value: { kind: 'opaque' },
};

const CITY = { type: GraphQLString, shape: FIELD, description: null, deprecated: null };
const ADDRESS = complex('Address', elements(one('city', STRING)));

/** A shape, and how often its fields and its supertypes were asked for. */
function makeShape() {
  const asked = { fields: 0, supertypes: 0 };
  const shape = new LazyObjectShape('Address', 1, ADDRESS, {
    fields: () => {
      asked.fields++;
      return new Map([['city', CITY]]);
    },
    supertypes: () => {
      asked.supertypes++;
      return ['Place'];
    },
  });
  return { shape, asked };
}

t.test('parts are made at their first use, and once', async (t) => {
  const { shape, asked } = makeShape();
  t.strictSame(asked, { fields: 0, supertypes: 0 });
  for (let at = 0; at < 2; at++) {
    t.strictSame([...shape.conditions], ['Address', 'Place']);
    t.strictSame([...shape.fields], [['city', FIELD]]);
    t.strictSame(shape.order, childOrder(ADDRESS));
  }
  t.equal(shape.conditions, shape.conditions);
  t.strictSame(asked, { fields: 1, supertypes: 1 });
});

t.test('a settled shape has the same parts, and asks no more', async (t) => {
  const { shape, asked } = makeShape();
  shape.settle();
  shape.settle();
  t.strictSame(asked, { fields: 1, supertypes: 1 });
  t.strictSame([...shape.conditions], ['Address', 'Place']);
  t.strictSame([...shape.fields], [['city', FIELD]]);
  t.strictSame(shape.order, makeShape().shape.order);
  t.strictSame(asked, { fields: 1, supertypes: 1 });
});
