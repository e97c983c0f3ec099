import fc from 'fast-check';
import t from 'tap';
import { problemOfRandomWsdl } from './random-wsdl.js';

t.test(
  'schemas in which anything refers to anything are read, with places, ' +
    'and have a schema of GraphQL',
  async (t) => {
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (generate) => {
        const problem = await problemOfRandomWsdl((below) => generate(fc.nat, { max: below - 1 }));
        if (problem !== null) throw new Error(problem);
      }),
      { numRuns: 100 },
    );
    t.pass('100 schemas');
  },
);
