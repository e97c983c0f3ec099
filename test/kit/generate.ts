import { readFile, writeFile } from 'node:fs/promises';
import { REFUSALS } from '../../src/config/refusal-tables.js';
import { installRefusals } from '../../src/core/refusals/refusals.js';
import { Metrics } from '../../src/observe/metrics/metrics.js';
import { printHouse } from './packages.js';
import { printReference, replaceSection } from './reference/configuration.js';
import { printConfigurationTypes } from './reference/configuration-types.js';
import { printConformance } from './reference/conformance.js';
import { printDefaults } from './reference/defaults.js';
import { printJsonSchema } from './reference/json-schema.js';
import { printKept } from './reference/kept.js';
import { printMetrics } from './reference/metrics.js';
import { printProtections } from './reference/protections.js';
import { printRefusalPage } from './reference/refusal-page.js';
import { printRefusals } from './reference/refusals.js';
import { printReplies, refusedReplies } from './reference/replies.js';
import { readSources } from './source.js';

/**
 * Writes what is generated from tables in the code: the JSON Schema of the configuration, the page
 * of refusals and the marked sections of `config/README.md`, `config/manual/protection.md`,
 * `operations.md` and `replies.md`, and the drawing of `src/README.md`. Run from the root of the
 * repository; tests assert that the result is checked in.
 */
installRefusals(REFUSALS);
await writeFile('config/soapstone.schema.json', printJsonSchema());
await writeFile('src/library/configuration-keys.ts', printConfigurationTypes());
await writeFile('config/refusals.md', printRefusalPage());
await writeFile('deploy/conformance.md', printConformance());
const manual = await readFile('config/manual/protection.md', 'utf8').catch(() => null);
if (manual !== null)
  await writeFile(
    'config/manual/protection.md',
    replaceSection(manual, 'protections', printProtections()),
  );
const operations = await readFile('config/manual/operations.md', 'utf8').catch(() => null);
if (operations !== null)
  await writeFile('config/manual/operations.md', replaceSection(operations, 'kept', printKept()));
const defaults = await readFile('config/manual/defaults.md', 'utf8').catch(() => null);
if (defaults !== null)
  await writeFile(
    'config/manual/defaults.md',
    replaceSection(defaults, 'defaults', printDefaults()),
  );
const replies = await readFile('config/manual/replies.md', 'utf8').catch(() => null);
if (replies !== null) {
  const ends: (() => unknown)[] = [];
  const table = await refusedReplies({ teardown: (end) => ends.unshift(end) });
  for (const end of ends) await end();
  await writeFile(
    'config/manual/replies.md',
    replaceSection(replies, 'replies', printReplies(table)),
  );
}
const map = await readFile('src/README.md', 'utf8').catch(() => null);
if (map !== null)
  await writeFile('src/README.md', replaceSection(map, 'house', printHouse(readSources('src'))));
const reference = await readFile('config/README.md', 'utf8').catch(() => null);
if (reference !== null) {
  const sections: readonly (readonly [string, string])[] = [
    ['configuration', printReference()],
    ['metrics', await printMetrics(new Metrics(() => [], { isRedisUp: () => true }))],
    ['refusals', printRefusals()],
  ];
  const written = sections.reduce(
    (text, [name, content]) => replaceSection(text, name, content),
    reference,
  );
  if (written !== reference) await writeFile('config/README.md', written);
}
