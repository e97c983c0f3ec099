import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';

import { defaultsOf } from '../../src/base/limit.js';
import { FramePool } from '../../src/codec/validity/frame-pool.js';
import { VALIDITY_LIMITS } from '../../src/codec/validity/limits.js';
import { SchemaRules } from '../../src/codec/validity/rules.js';
import { ContentValidator } from '../../src/codec/validity/validator.js';
import type { Violation } from '../../src/codec/validity/violation.js';
import type { WsdlModel } from '../../src/wsdl/model.js';
import { readWsdl } from '../../src/wsdl/read.js';
import { XML_LIMITS } from '../../src/xml/limits.js';
import { XmlReader } from '../../src/xml/reader.js';
import { assertSplitsAgree } from '../kit/splits.js';
import { HAS_XMLLINT, lint } from '../kit/xmllint.js';
import { FILES, wsdlWith } from '../wsdl/written.js';
import { SUITES } from './validity-cases.js';

const LIMITS = { ...defaultsOf(VALIDITY_LIMITS), textChars: 1_000_000, isThorough: true };
const FRAMES = new FramePool();
const NAMESPACES =
  'xmlns="urn:t" xmlns:t="urn:t" xmlns:o="urn:other" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

const documentOf = (written: string): string => written.replace('<doc', `<doc ${NAMESPACES}`);
const schemaOf = (content: string): string =>
  `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t" elementFormDefault="qualified">${content}</xs:schema>`;

async function modelOf(schema: string, directory: string): Promise<WsdlModel> {
  const file = join(directory, 's.wsdl');
  const gets = '<xs:element name="Get" type="xs:string"/><xs:element name="GetResponse" type="xs:string"/>';
  await writeFile(file, wsdlWith({ types: schemaOf(schema + gets) }));
  return readWsdl(file, FILES);
}

/** The first violation of a document, or null. */
function validate(rules: SchemaRules, pieces: readonly Uint8Array[], limits = LIMITS): Violation | null {
  let found: Violation | null = null;
  const root = rules.global('urn:t', 'doc');
  if (root === null) throw new Error('no element doc');
  const validator = new ContentValidator(
    rules,
    root,
    (violation) => {
      if (found !== null) throw new Error('told twice');
      found = violation;
    },
    limits,
    FRAMES,
  );
  const reader = new XmlReader(validator, { ...defaultsOf(XML_LIMITS), textBytes: 1024 });
  for (const piece of pieces) reader.write(Buffer.from(piece));
  reader.end();
  return found;
}

async function inDirectory<T>(run: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'soapstone-'));
  try {
    return await run(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

for (const suite of SUITES) {
  t.test(suite.name, async (t) => {
    const model = await inDirectory((directory) => modelOf(suite.schema, directory));
    const rules = new SchemaRules(model);
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
      t.comment(`${suite.name}: not compared: xmllint (libxml2-utils) is not installed or does not take the schema`);
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
