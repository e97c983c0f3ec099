import t from 'tap';

import { SchemaRules } from '../../src/codec/validity/rules.js';
import type { Violation } from '../../src/codec/validity/violation.js';
import { HAS_XMLLINT, lint } from '../kit/xmllint.js';
import { echoWsdl, modelOf } from '../wsdl/written.js';
import { mutant } from './mutants.js';
import { randomSchema } from './random-schema.js';
import { violationsIn } from './violations.js';

/**
 * Random schemas: every instance is valid, and of instances that something was done to libxml2 says
 * the same.
 */

const SCHEMAS = 40;
const INSTANCES = 4;
const MUTANTS = 12;
const SEED = Number(process.env['SEED'] ?? 20_010_212);
const violationOf = (rules: SchemaRules, document: string): Violation | null =>
  violationsIn(rules, rules.global('urn:t', 'Echo'), document)[0] ?? null;

t.test('random schemas', async (t) => {
  if (!HAS_XMLLINT) t.comment('libxml2 is not asked: install xmllint (libxml2-utils)');
  let state = SEED;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  let invalid = 0;
  for (let index = 0; index < SCHEMAS; index++) {
    const seed = SEED + index;
    const { xsd, instances } = randomSchema(seed, 2 + (index % 6));
    const rules = new SchemaRules(await modelOf(echoWsdl(xsd)));
    const documents = instances(INSTANCES);
    for (const document of documents) {
      const found = violationOf(rules, document);
      if (found !== null) t.fail(`seed ${seed}: ${found.path} ${found.what}: ${document}`);
    }
    const mutants = documents.flatMap((document) =>
      Array.from({ length: MUTANTS }, () => mutant(document, random)),
    );
    const results = HAS_XMLLINT ? lint(xsd, mutants) : [];
    if (results === null) throw new Error(`libxml2 does not take the schema of seed ${seed}`);
    for (const [at, result] of results.entries()) {
      const found = violationOf(rules, mutants[at] ?? '');
      if (found !== null) invalid++;
      // libxml2 passes over what is no character of base64.
      if ((found === null) === (result === null) || found?.what === 'must be base64') continue;
      t.fail(`seed ${seed}: ${found?.path} ${found?.what}, libxml2: ${result}`, {
        xml: mutants[at],
        xsd,
      });
    }
  }
  t.pass(`seed ${SEED}: ${SCHEMAS * INSTANCES * MUTANTS} documents, ${invalid} of them invalid`);
});
