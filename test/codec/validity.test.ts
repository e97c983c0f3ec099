import t from 'tap';

import { SchemaRules } from '../../src/codec/validity/rules.js';
import type { Violation } from '../../src/codec/validity/violation.js';
import { assertSplitsAgree } from '../kit/splits.js';
import { HAS_XMLLINT, lint } from '../kit/xmllint.js';
import { modelOf, wsdlWith } from '../wsdl/written.js';
import { SUITES } from './validity-cases.js';
import { THOROUGH, violationsIn } from './violations.js';

const NAMESPACES =
  'xmlns="urn:t" xmlns:t="urn:t" xmlns:o="urn:other" ' +
  'xmlns:xs="http://www.w3.org/2001/XMLSchema" ' +
  'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

const documentOf = (written: string): string => written.replace('<doc', `<doc ${NAMESPACES}`);
const schemaOf = (content: string): string =>
  '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" ' +
  `targetNamespace="urn:t" elementFormDefault="qualified">${content}</xs:schema>`;

const GETS =
  '<xs:element name="Get" type="xs:string"/><xs:element name="GetResponse" type="xs:string"/>';

/** The violation of a document, or null. */
function validate(rules: SchemaRules, pieces: readonly Uint8Array[]): Violation | null {
  const found = violationsIn(rules, rules.global('urn:t', 'doc'), pieces, THOROUGH, {
    textBytes: 1024,
  });
  if (found.length > 1) throw new Error('told twice');
  return found[0] ?? null;
}

for (const suite of SUITES) {
  t.test(suite.name, async (t) => {
    const rules = new SchemaRules(
      await modelOf(wsdlWith({ types: schemaOf(suite.schema + GETS) })),
    );
    for (const written of suite.valid) {
      const document = Buffer.from(documentOf(written));
      t.same(
        assertSplitsAgree(document, (pieces) => validate(rules, pieces)),
        null,
        written,
      );
    }
    for (const [written, rule, path] of suite.invalid) {
      const document = Buffer.from(documentOf(written));
      const found = assertSplitsAgree(document, (pieces) => validate(rules, pieces));
      t.same([found?.rule, found?.path], [rule, path], `${written}: ${found?.what}`);
    }
  });
}

t.test('xmllint says the same', async (t) => {
  let compared = 0;
  for (const suite of SUITES) {
    const written = [...suite.valid, ...suite.invalid.map(([document]) => document)];
    const told = HAS_XMLLINT ? lint(schemaOf(suite.schema), written.map(documentOf)) : null;
    if (told === null) {
      t.comment(
        `${suite.name}: not compared: xmllint (libxml2-utils) is not installed or ` +
          'does not take the schema',
      );
      continue;
    }
    for (const [index, document] of written.entries()) {
      if (suite.differs?.has(document) === true) continue;
      compared++;
      t.equal(told[index] === null, suite.valid.includes(document), `${suite.name}: ${document}`);
    }
  }
  t.comment(`${compared} documents compared`);
});
