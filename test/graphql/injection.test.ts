import fc from 'fast-check';
import t from 'tap';

import { Random } from '../codec/random-values.js';
import { checkInjection, startInjection } from './injection.js';

t.test(
  'random strings come back as they are or are refused, and never make an element more',
  async (t) => {
    const compiled = await startInjection();
    t.teardown(() => compiled.close());
    const [seed = 1] = fc.sample(fc.integer({ min: 1, max: 2 ** 31 }), 1);
    const { failures, strings, sent, refused, equal } = checkInjection(
      compiled,
      2000,
      new Random(seed),
    );
    t.same(failures, [], `seed ${seed}`);
    t.equal(strings, 2000);
    t.ok(sent > 3000 && refused > 3000, `${sent} were sent, ${refused} refused`);
    t.ok(equal.size > 10, `${equal.size} places`);
  },
);
