import { join } from 'node:path';
import t from 'tap';
import { readWsdl } from '../../src/wsdl/read.js';
import { useFolder } from '../kit/use.js';
import { FILES } from '../wsdl/written.js';
import { EXAMPLE_CASES, exampleWsdl } from './example-cases.js';
import { tryExamples } from './try-examples.js';

/** Examples for values of all kinds: valid by the schema, whatever it demands, both ways. */

t.test('each example passes the gateway, and the mock answers it validly', async (t) => {
  const folder = await useFolder(t, { 'all.wsdl': exampleWsdl() });
  const file = join(folder, 'all.wsdl');
  const model = await readWsdl(file, { ...FILES, root: folder });
  const validate = ', validate: { requests: enforce, replies: enforce }';
  const found = await tryExamples(t, file, model, validate);
  t.equal(found.length, EXAMPLE_CASES.length);
  for (const { name, error } of found) {
    const [title] = EXAMPLE_CASES[Number(/\d+$/.exec(name)?.[0])] ?? [name];
    t.equal(error, null, `${title}: ${name}`);
  }
});
