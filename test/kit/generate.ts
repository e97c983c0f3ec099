import { readFile, writeFile } from 'node:fs/promises';
import { printJsonSchema } from '../../src/config/json-schema.js';
import { printReference, replaceSection } from '../../src/config/reference.js';

/**
 * Writes what is generated from tables in the code: the JSON Schema of the configuration and the marked sections of
 * the README. Run from the root of the repository; tests assert that the result is checked in.
 */
await writeFile('config/soapstone.schema.json', printJsonSchema());
const readme = await readFile('README.md', 'utf8').catch(() => null);
if (readme !== null) {
  const written = replaceSection(readme, 'configuration', printReference());
  if (written !== readme) await writeFile('README.md', written);
}
