import t from 'tap';
import { Keeping, Kept } from '../../src/compile/keep.js';

t.test(
  'a value is kept from one generation to the next while its configuration is equal',
  async (t) => {
    const kept = new Kept<object>('things', 'always');
    const first = new Keeping(null);
    const value = kept.keep(first, 'a', { urls: ['x'] }, () => ({}));
    t.equal(
      kept.find(first, 'a', { urls: ['x'] }),
      null,
      'nothing is found in the generation itself',
    );
    first.end();

    const second = new Keeping(first);
    t.equal(kept.find(second, 'a', { urls: ['y'] }), null, 'another configuration');
    t.equal(kept.find(second, 'b', { urls: ['x'] }), null, 'another name');
    t.equal(
      new Kept<object>('others', 'always').find(second, 'a', { urls: ['x'] }),
      null,
      'another kind',
    );
    t.equal(
      kept.keep(second, 'a', { urls: ['x'] }, () => ({})),
      value,
    );
    second.end();

    const third = new Keeping(second);
    t.not(
      kept.keep(third, 'a', { urls: ['y'] }, () => ({})),
      value,
      'made anew',
    );
    third.end();
    t.equal(
      kept.find(new Keeping(third), 'a', { urls: ['x'] }),
      null,
      'what was not kept once is forgotten',
    );
  },
);

t.test('a generation lets go of the one before', async (t) => {
  const first = new Keeping(null);
  const second = new Keeping(first);
  t.equal(second.earlier, first);
  second.end();
  t.equal(second.earlier, null);
});

t.test('a generation that failed leaves what is in use as it is', async (t) => {
  const kept = new Kept<object>('things', 'always');
  const inUse = new Keeping(null);
  const value = kept.keep(inUse, 'a', 1, () => ({}));
  inUse.end();
  const failed = new Keeping(inUse);
  t.not(
    kept.keep(failed, 'a', 2, () => ({})),
    value,
  );
  failed.end();
  t.equal(kept.find(new Keeping(inUse), 'a', 1), value);
});
