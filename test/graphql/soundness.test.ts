import fc from 'fast-check';
import t from 'tap';

import { checkSoundness, startSoundness } from './soundness.js';

const SEED_MAX = 2 ** 31;

t.test(
  'no spelling makes a difference, results are those of brute force, and cost is ' +
    'at least what is called',
  async (t) => {
    const compiled = await startSoundness();
    t.teardown(() => compiled.close());
    const [seed = 1] = fc.sample(fc.integer({ min: 1, max: SEED_MAX }), 1);
    const { failures, admitted, refused, calls, staticCalls } = await checkSoundness(
      compiled,
      2000,
      seed,
    );
    t.same(failures, [], `seed ${seed}`);
    t.ok(admitted > 300, `${admitted} are admitted`);
    t.ok(
      calls <= staticCalls && calls > 300,
      `${calls} calls, ${staticCalls} were expected at most`,
    );
    for (const code of [
      'GRAPHQL_VALIDATION_FAILED',
      'MAX_DEPTH_LIMIT',
      'MAX_ALIASES_LIMIT',
      'MAX_ROOT_FIELDS_LIMIT',
      'MAX_DIRECTIVES_LIMIT',
      'MAX_COST_LIMIT',
      'BAD_USER_INPUT',
    ]) {
      t.ok((refused.get(code) ?? 0) > 3, `${code}: ${refused.get(code)}`);
    }
  },
);
