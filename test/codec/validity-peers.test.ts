import t from 'tap';

import { SchemaRules } from '../../src/codec/validity/rules.js';
import type { Violation } from '../../src/codec/validity/violation.js';
import { HAS_XMLLINT, lint } from '../kit/xmllint.js';
import { echoWsdl, modelOf } from '../wsdl/written.js';
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

/** What is done to a document: to one of its elements without children, or between its tags. */
function mutant(document: string, random: () => number): string {
  const tokens = document.match(/<[^>]+>|[^<]+/g) ?? [];
  const leaves = tokens.flatMap((token, at) => {
    if (!/^<[^/][^>]*[^/]>$/.test(token) || at === 0)
      return token.endsWith('/>') ? [[at, at] as const] : [];
    const end = tokens[at + 1]?.startsWith('</')
      ? at + 1
      : tokens[at + 2]?.startsWith('</')
        ? at + 2
        : -1;
    return end < 0 || (end === at + 2 && tokens[at + 1]?.startsWith('<'))
      ? []
      : [[at, end] as const];
  });
  const pick = <T>(all: readonly T[]): T | undefined => all[Math.floor(random() * all.length)];
  const [from, to] = pick(leaves) ?? [1, 1];
  const before = tokens.slice(0, from).join('');
  const leaf = tokens.slice(from, to + 1).join('');
  const after = tokens.slice(to + 1).join('');
  const start = tokens[from] ?? '';
  const name = /^<([^\s/>]+)/.exec(start)?.[1] ?? 'x';
  const attributes = start.slice(name.length + 1).replace(/\/?>$/, '');
  switch (Math.floor(random() * 9)) {
    case 0:
      return `${before}${after}`;
    case 1:
      return `${before}${leaf}${leaf}${after}`;
    case 2:
      return `${before}<${name}${attributes}>?</${name}>${after}`;
    case 3:
      return `${before}<${name}${attributes}></${name}>${after}`;
    case 4:
      return `${before}${leaf}<unknown/>${after}`;
    case 5:
      return `${before}${leaf} text ${after}`;
    case 6:
      return (
        `${before}<${name}${attributes} unknown="1">${leaf.slice(start.length)}` +
        `${to === from ? `</${name}>` : ''}${after}`
      );
    case 7:
      return (
        `${before}<${name}${attributes.replace(/ xsi:nil="true"/, '')} ` +
        `xsi:nil="true"/>${after}`
      );
    default: {
      const other = pick(leaves) ?? [from, to];
      return `${before}${tokens.slice(other[0], other[1] + 1).join('')}${after}`;
    }
  }
}

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
