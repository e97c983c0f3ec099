import { writeFileSync } from 'node:fs';
import { _, Ajv } from 'ajv';
import writeCode from 'ajv/dist/standalone/index.js';

import { FORMAT_CHECKS } from './format-checks.js';
import { configSchema, mapNodes, OWN_KEYWORDS, type SchemaNode } from './schema-node.js';

// A step of the build, not of the gateway: compiles the table of keys to `file-validator.js`.
// Compiled at each start, it took a quarter of a second of processor time.

/**
 * The schema with each map of keys as a definition: a function of its own, which V8 compiles when
 * it is called.
 */
function withDefinitions(schema: SchemaNode): object {
  const definitions = new Map<string, { readonly name: string; readonly node: SchemaNode }>();
  const root = mapNodes(schema, (node) => {
    if (node.properties === undefined && node.patternProperties === undefined) return node;
    const { default: initial, ...rest } = node;
    const text = JSON.stringify(rest);
    const { name } = definitions.get(text) ?? { name: `map${definitions.size}` };
    definitions.set(text, { name, node: rest });
    // The default is read where the map is used.
    return { $ref: `#/$defs/${name}`, ...(initial === undefined ? {} : { default: initial }) };
  });
  return {
    ...root,
    $defs: Object.fromEntries([...definitions.values()].map(({ name, node }) => [name, node])),
  };
}

/** Keywords that are no rules: what errors say of a key is read from the table itself. */
const WITHOUT_RULE: ReadonlySet<string> = new Set(['description', ...OWN_KEYWORDS]);

const withoutTexts = (schema: SchemaNode): SchemaNode =>
  mapNodes(schema, (node) =>
    Object.fromEntries(Object.entries(node).filter(([keyword]) => !WITHOUT_RULE.has(keyword))),
  );

const ajv = new Ajv({
  allErrors: true,
  useDefaults: true,
  strict: true,
  allowUnionTypes: true,
  messages: false,
  inlineRefs: false,
  code: { source: true, esm: true, formats: _`formats` },
  formats: FORMAT_CHECKS,
});

/** What errors have and is not read here, and the longest of what is written again and again. */
const SHORTENED: readonly (readonly [RegExp, string])[] = [
  [/schemaPath:"(?:[^"\\]|\\.)*",/g, ''],
  [/params:\{allowedValues: schema.*?\.enum\}/g, 'params:{}'],
  [
    /if\(vErrors === null\)\{vErrors = \[(err\d+)\];\}else \{vErrors\.push\(\1\);\}/g,
    '(vErrors ??= []).push($1);',
  ],
];
const HELPER = /require\("(ajv\/dist\/runtime\/\w+)"\)\.default/g;

const written = writeCode.default(ajv, ajv.compile(withDefinitions(withoutTexts(configSchema()))));
const code = SHORTENED.reduce((text, [long, short]) => text.replaceAll(long, short), written);
const helpers = [...new Set([...code.matchAll(HELPER)].map(([, path = '']) => path))];
const text = [
  `import { FORMAT_CHECKS as formats } from './format-checks.js';`,
  ...helpers.map((path, index) => `import helper${index} from '${path}.js';`),
  code.replaceAll(HELPER, (_whole, path: string) => `helper${helpers.indexOf(path)}.default`),
].join('\n');
writeFileSync(new URL('file-validator.js', import.meta.url), text);
