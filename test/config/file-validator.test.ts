import { readFile } from 'node:fs/promises';
import t from 'tap';
import { KIB } from '../../src/core/limit.js';

const CODE = new URL('../../src/config/check/file-validator.js', import.meta.url);
/** Twice the size of today's rules: it stays in the memory of each process. */
const CODE_BYTES_MAX = 1536 * KIB;

t.test('the code that checks configurations holds rules, and no texts', async (t) => {
  const code = await readFile(CODE, 'utf8');
  for (const text of ['"description":"', '"hint":"', 'schemaPath:', 'allowedValues:'])
    t.notOk(code.includes(text), text);
  t.ok(code.length < CODE_BYTES_MAX, `${code.length} bytes`);
});
