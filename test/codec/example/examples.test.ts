import { Buffer } from 'node:buffer';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ConfigurationError } from '../../../src/base/diagnostic.js';
import { defaultsOf } from '../../../src/base/limit.js';
import { ExampleWriter } from '../../../src/codec/example/example-content.js';
import { exampleValue } from '../../../src/codec/example/example-value.js';
import { FramePool } from '../../../src/codec/validity/frame-pool.js';
import { VALIDITY_LIMITS } from '../../../src/codec/validity/limits.js';
import { SchemaRules } from '../../../src/codec/validity/rules.js';
import { ContentValidator } from '../../../src/codec/validity/validator.js';
import {
  childrenOfBody,
  type ElementDeclaration,
  NO_FACETS,
  type SimpleType,
  type WsdlModel,
} from '../../../src/wsdl/model.js';
import { readWsdl } from '../../../src/wsdl/read.js';
import { XML_LIMITS } from '../../../src/xml/limits.js';
import { XmlReader } from '../../../src/xml/reader.js';
import { FILES } from '../../wsdl/written.js';

/** Examples that are made of a schema are valid by it. */

const CORPUS = '../shared/corpora/wsdl';

/** What the validator says against an element with example content; null where it is valid. */
function problemOf(rules: SchemaRules, element: ElementDeclaration): string | null {
  const writer = new ExampleWriter();
  const written = writer.element(element);
  const at = written.search(/[ />]/);
  const text = written.slice(0, at) + writer.declarations + written.slice(at);
  const found: string[] = [];
  const options = { ...defaultsOf(VALIDITY_LIMITS), textChars: 1_000_000, isThorough: true };
  const validator = new ContentValidator(
    rules,
    rules.element(element),
    ({ rule, what, path }) => found.push(`${rule} ${what} ${path}`),
    options,
    new FramePool(),
  );
  const reader = new XmlReader(validator, defaultsOf(XML_LIMITS));
  reader.write(Buffer.from(text));
  reader.end();
  return found.length === 0 ? null : `${found[0]}: ${text.slice(0, 300)}`;
}

async function modelOf(file: string): Promise<WsdlModel | null> {
  try {
    return await readWsdl(file, { ...FILES, root: CORPUS });
  } catch (error) {
    if (error instanceof ConfigurationError) return null;
    throw error;
  }
}

t.test(
  'examples for the operations of the corpus are valid by their schemas',
  existsSync(CORPUS) ? {} : { skip: `${CORPUS} is not here: it is not part of the repository` },
  async (t) => {
    let valid = 0;
    const broken: string[] = [];
    const files = readdirSync(CORPUS, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.wsdl'));
    for (const file of files) {
      const model = await modelOf(join(CORPUS, file));
      if (model === null) continue;
      const rules = new SchemaRules(model);
      for (const operation of model.services.flatMap(({ ports }) => ports.flatMap(({ operations }) => operations))) {
        if (operation.status !== 'ok' || operation.use === 'encoded') continue;
        for (const payload of [operation.input, operation.output]) {
          for (const element of payload === null ? [] : childrenOfBody(payload)) {
            const problem = problemOf(rules, element);
            if (problem === null) valid++;
            else broken.push(`${file} ${operation.name}: ${problem}`);
          }
        }
      }
    }
    t.comment(`${valid} examples are valid, ${broken.length} are not`);
    t.ok(valid > 150);
    t.same(broken, []);
  },
);

t.test('values keep the facets of their types', async (t) => {
  const type = (
    builtIn: string,
    facets: Partial<SimpleType['facets']>,
    more: Partial<SimpleType> = {},
  ): SimpleType => ({
    kind: 'simple',
    name: null,
    variety: 'atomic',
    builtIn,
    base: null,
    item: null,
    members: [],
    enumeration: null,
    facets: { ...NO_FACETS, ...facets },
    documentation: null,
    ...more,
  });
  for (const [of, expected] of [
    [type('string', { patterns: ['[A-Z]{2}[0-9]{3}'] }), /^[A-Z]{2}[0-9]{3}$/],
    [type('string', { patterns: ['\\d{5}(-\\d{4})?'] }), /^\d{5}(-\d{4})?$/],
    [type('string', { length: 12 }), /^.{12}$/],
    [type('string', { maxLength: 2 }), /^.{1,2}$/],
    [type('string', { minLength: 30 }), /^.{30}$/],
    [type('int', { minInclusive: '100', maxInclusive: '200' }), /^100$/],
    [type('decimal', { maxExclusive: '0' }), /^-/],
    [type('negativeInteger', {}), /^-1$/],
    [type('hexBinary', { length: 4 }), /^[0-9a-f]{8}$/],
    [type('string', {}, { enumeration: [{ value: 'b', documentation: null }] }), /^b$/],
    [type('string', {}, { variety: 'list', item: type('int', {}), facets: { ...NO_FACETS, length: 3 } }), /^1 1 1$/],
  ] as const)
    t.match(exampleValue(of), expected);
});
