import {
  mapNodes,
  OWN_KEYWORDS,
  publicSchema,
  type SchemaNode,
  typesOf,
} from '../../../src/config/check/schema-node.js';

/**
 * A schema for editors, which know neither our own keywords nor values that come from outside the
 * file.
 */
interface PublishedNode extends SchemaNode {
  readonly $ref?: string;
  readonly anyOf?: readonly PublishedNode[];
}

/** The JSON Schema of the configuration file as text: editors complete and check with it. */
export function printJsonSchema(): string {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...mapNodes(publicSchema(), published),
    definitions: {
      environment: {
        description: 'The value of an environment variable.',
        type: 'string',
        pattern: '\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}',
      },
      file: {
        description: 'The content of a file, without its last line break.',
        type: 'object',
        required: ['file'],
        properties: { file: { type: 'string', minLength: 1 } },
        additionalProperties: false,
      },
    },
  };
  return `${shortLists(JSON.stringify(schema, null, 2))}\n`;
}

/** Lists of scalars on one line, as the formatter of this project wants them. */
function shortLists(json: string): string {
  return json.replaceAll(
    /\[\n\s+([^[\]{}]*?)\n\s+\]/g,
    (_, items: string) => `[${items.replaceAll(/\n\s+/g, ' ')}]`,
  );
}

const AMOUNTS: Readonly<Record<string, string>> = {
  bytes: '^\\d+(\\.\\d+)? ?(B|KiB|MiB|GiB)$',
  millis: '^\\d+(\\.\\d+)? ?(ms|s|m|h)$',
};

function published(node: SchemaNode): PublishedNode {
  const own: readonly string[] = OWN_KEYWORDS;
  const { description, default: initial, ...rest } = node;
  const facets: SchemaNode = Object.fromEntries(
    Object.entries(rest).filter(([key]) => !own.includes(key) && key !== 'format'),
  );
  const about = {
    ...(description !== undefined && { description }),
    ...(initial !== undefined && { default: initial }),
  };
  const types = typesOf(node);
  const isText = types.includes('string');
  if (!isText && (types.includes('object') || types.includes('array') || types.length === 0))
    return { ...about, ...facets };

  const amount = node.unit === undefined ? undefined : AMOUNTS[node.unit];
  return {
    ...about,
    anyOf: [
      facets,
      ...(amount === undefined ? [] : [{ type: 'string', pattern: amount }]),
      { $ref: '#/definitions/environment' },
      { $ref: '#/definitions/file' },
    ],
  };
}
