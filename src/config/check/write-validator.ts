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
    const { default: initial, description, ...rest } = node;
    const text = JSON.stringify(rest);
    const { name } = definitions.get(text) ?? { name: `map${definitions.size}` };
    definitions.set(text, { name, node: rest });
    // These two are read where the map is used.
    return {
      $ref: `#/$defs/${name}`,
      ...(initial === undefined ? {} : { default: initial }),
      ...(description === undefined ? {} : { description }),
    };
  });
  return {
    ...root,
    $defs: Object.fromEntries([...definitions.values()].map(({ name, node }) => [name, node])),
  };
}

const ajv = new Ajv({
  allErrors: true,
  useDefaults: true,
  strict: true,
  allowUnionTypes: true,
  verbose: true,
  inlineRefs: false,
  code: { source: true, esm: true, formats: _`formats` },
  formats: FORMAT_CHECKS,
  keywords: [...OWN_KEYWORDS],
});

const HELPER = /require\("(ajv\/dist\/runtime\/\w+)"\)\.default/g;

const code = writeCode.default(ajv, ajv.compile(withDefinitions(configSchema())));
const helpers = [...new Set([...code.matchAll(HELPER)].map(([, path = '']) => path))];
const text = [
  `import { FORMAT_CHECKS as formats } from './format-checks.js';`,
  ...helpers.map((path, index) => `import helper${index} from '${path}.js';`),
  code.replaceAll(HELPER, (_whole, path: string) => `helper${helpers.indexOf(path)}.default`),
].join('\n');
writeFileSync(new URL('file-validator.js', import.meta.url), text);
