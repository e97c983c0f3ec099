import t from 'tap';
import { distinctValue } from '../../../src/codec/example/distinct-values.js';
import { ExampleWriter } from '../../../src/codec/example/example-content.js';
import { exampleValue } from '../../../src/codec/example/example-value.js';
import { SchemaRules } from '../../../src/codec/validity/rules.js';
import { compileSimple } from '../../../src/codec/values/simple-validity.js';
import {
  childrenOfBody,
  type ElementDeclaration,
  NO_FACETS,
  type SimpleType,
} from '../../../src/wsdl/model.js';
import { corpusModels, WITH_CORPUS } from '../../wsdl/corpus-models.js';
import { operationsIn } from '../../wsdl/written.js';
import { violationsIn } from '../violations.js';

/** Examples that are made of a schema are valid by it. */

/** What the validator says against an element with example content; null where it is valid. */
function problemOf(rules: SchemaRules, element: ElementDeclaration): string | null {
  const writer = new ExampleWriter();
  const written = writer.element(element);
  const at = written.search(/[ />]/);
  const text = written.slice(0, at) + writer.declarations + written.slice(at);
  const [first] = violationsIn(rules, rules.element(element), text);
  return first === undefined
    ? null
    : `${first.rule} ${first.what} ${first.path}: ${text.slice(0, 300)}`;
}

t.test(
  'examples for the operations of the corpus are valid by their schemas',
  WITH_CORPUS,
  async (t) => {
    let valid = 0;
    const broken: string[] = [];
    for await (const { file, model } of corpusModels()) {
      const rules = new SchemaRules(model);
      for (const operation of operationsIn(model)) {
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
    [type('string', { patterns: ['[A-Z0-9]+', '.{6}|.{8}'] }), /^[A-Z0-9]{6}$/],
    [type('string', { patterns: ['(ab)*', '(aba?)+'], minLength: 5 }), /^(ab){3,}$/],
    [type('duration', { minExclusive: 'P1Y', maxExclusive: 'P1Y2D' }), /^P1Y1D$/],
    [type('date', { minExclusive: '2026-02-28', maxExclusive: '2026-03-02' }), /^2026-03-01$/],
    [type('long', { minExclusive: '9007199254740993' }), /^9007199254740994$/],
    [type('string', {}, { enumeration: [{ value: 'b', documentation: null }] }), /^b$/],
    [
      type(
        'string',
        {},
        { variety: 'list', item: type('int', {}), facets: { ...NO_FACETS, length: 3 } },
      ),
      /^1 1 1$/,
    ],
  ] as const)
    t.match(exampleValue(of), expected);
});

t.test('values that keys are of differ, and are valid', async (t) => {
  const type = (builtIn: string, more: Partial<SimpleType> = {}): SimpleType => ({
    ...{ kind: 'simple', name: null, variety: 'atomic', builtIn, base: null, item: null },
    ...{ members: [], enumeration: null, facets: NO_FACETS, documentation: null, ...more },
  });
  const codes = ['b', 'c'].map((value) => ({ value, documentation: null }));
  for (const [of, count] of [
    [type('int'), 30],
    [type('date'), 30],
    [type('string', { facets: { ...NO_FACETS, length: 2 } }), 100],
    [type('string', { facets: { ...NO_FACETS, patterns: ['[A-Z]{4}'] } }), 100],
    [type('string', { enumeration: codes }), 2],
  ] as const) {
    const first = exampleValue(of);
    const found = new Set<string>();
    const check = compileSimple(of);
    for (let at = 0; at < count; at++) found.add(distinctValue(of, first, at));
    t.equal(found.size, count);
    t.ok([...found].every((value) => check(value) === null));
  }
});
