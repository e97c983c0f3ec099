import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { useFolder } from '../kit/use.js';
import { HAS_XMLLINT, lint } from '../kit/xmllint.js';
import { wsdlsIn } from '../wsdl/corpus-models.js';
import { EXAMPLE_CASES, exampleWsdl } from './example-cases.js';
import { bodyOf, type FedBack, feedBack } from './fed-back.js';
import { schemaOfFolder } from './folder-schema.js';

/**
 * What is written for a WSDL, fed back: the configuration of `import` starts, and every example of
 * `docs`, OpenAPI and tools is taken, makes a request that libxml2 finds valid, and is answered.
 */

t.setTimeout(300_000);

const SHARED = '../shared';
const FOLDERS = ['corpora/wsdl', 'lab', 'reports'].map((name) => join(SHARED, name));
const WITH_SHARED = existsSync(SHARED)
  ? {}
  : { skip: `${SHARED} is not here: it is not part of the repository` };

t.test('examples for the WSDLs of other projects', WITH_SHARED, async (t) => {
  const counts = { offered: 0, examples: 0, valid: 0 };
  for (const file of FOLDERS.flatMap(wsdlsIn)) {
    await t.test(file, async (t) => {
      const fed = await feedBack(t, file);
      // Nothing that can be called, which `import` says.
      if (fed === null) return;
      counts.offered++;
      counts.examples += fed.results.length;
      counts.valid += expectGood(t, fed);
    });
  }
  t.comment(JSON.stringify(counts));
  t.ok(counts.offered > 30, 'most have operations');
  if (HAS_XMLLINT) t.ok(counts.valid > 60, 'most are taken by libxml2');
});

t.test('examples for values and structures of all kinds', async (t) => {
  const folder = await useFolder(t, { 'all.wsdl': exampleWsdl() });
  const fed = await feedBack(t, join(folder, 'all.wsdl'));
  t.ok((fed?.results.length ?? 0) >= 3 * EXAMPLE_CASES.length);
  if (fed !== null) {
    t.ok(!HAS_XMLLINT || expectGood(t, fed) >= EXAMPLE_CASES.length);
  }
});

/** Returns how many requests libxml2 has found valid. */
function expectGood(t: Test, { folder, results, requests, listBytes }: FedBack): number {
  t.ok(listBytes <= LIST_BYTES, `${listBytes} bytes of tools/list`);
  t.same(
    results.filter(({ error }) => error !== null),
    [],
    'each is answered',
  );
  const bodies = [...new Set(requests.map(bodyOf))].filter(
    (body) => body !== '' && !ENCODED.test(body),
  );
  const schema = schemaOfFolder(folder);
  const told = !HAS_XMLLINT || schema === null ? null : lint(schema.text, bodies, schema.files);
  const known = (told ?? []).filter((each) => each?.includes(NOT_DECLARED) !== true);
  t.same(
    known.filter((each) => each !== null),
    [],
    'each request is valid',
  );
  return known.length;
}

/** `limits.mcp.listBytes` by default. */
const LIST_BYTES = 64 * 1024;

/** Messages of the SOAP encoding are not held to a schema. */
const ENCODED = /^<[^>]* \w+:encodingStyle=/;
/** Wrappers of RPC have no declaration. */
const NOT_DECLARED = 'No matching global declaration available for the validation root';
