import { readFile, writeFile } from 'node:fs/promises';
import { printRefusals } from '../../src/base/reference.js';
import { printJsonSchema } from '../../src/config/json-schema.js';
import { printReference, replaceSection } from '../../src/config/reference.js';
import { Metrics } from '../../src/observe/metrics.js';
import { printMetrics } from '../../src/observe/reference.js';

/**
 * Writes what is generated from tables in the code: the JSON Schema of the configuration and the marked sections of
 * `config/README.md`. Run from the root of the repository; tests assert that the result is checked in.
 */
await writeFile('config/soapstone.schema.json', printJsonSchema());
const reference = await readFile('config/README.md', 'utf8').catch(() => null);
if (reference !== null) {
  const sections: readonly (readonly [string, string])[] = [
    ['configuration', printReference()],
    ['metrics', await printMetrics(new Metrics([]))],
    ['refusals', printRefusals()],
  ];
  const written = sections.reduce((text, [name, content]) => replaceSection(text, name, content), reference);
  if (written !== reference) await writeFile('config/README.md', written);
}
