import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildSchema,
  type GraphQLSchema,
  type GraphQLType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import t from 'tap';

/**
 * How much of each WSDL of the corpus is typed, by the schemas that `golden.test.ts` compares. A
 * type that can be had as XML besides its fields is typed.
 */
const GOLDEN = 'test/graphql/golden';

interface Share {
  readonly all: number;
  readonly xml: readonly string[];
}

function shareOf(schema: GraphQLSchema): Share {
  const xml: string[] = [];
  let all = 0;
  const count = (place: string, type: GraphQLType, isBeside: boolean): void => {
    all += 1;
    if (/^\[*XML\b/.test(String(type)) && !isBeside) xml.push(place);
  };
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) continue;
    const fields = Object.values(type.getFields());
    for (const field of fields) {
      const isBeside = fields.length > 1 && /^xml(Element)?$/.test(field.name);
      count(`${type.name}.${field.name}`, field.type, isBeside);
      if ('args' in field)
        for (const { name, type: given } of field.args)
          count(
            `${type.name}.${field.name}(${name})`,
            given,
            field.args.length > 1 && name === 'xml',
          );
    }
  }
  return { all, xml };
}

t.test('95 of 100 fields and arguments of every WSDL of the corpus are typed', async (t) => {
  for (const file of readdirSync(GOLDEN).sort()) {
    const text = readFileSync(join(GOLDEN, file), 'utf8');
    if (!/^type Query/m.test(text)) continue;
    const { all, xml } = shareOf(buildSchema(text));
    const typed = 100 * (1 - xml.length / all);
    t.comment(
      `${typed.toFixed(1)} % of ${all}: ` +
        `${file}${xml.length === 0 ? '' : `, XML: ${xml.join(', ')}`}`,
    );
    t.ok(typed >= 95, file);
  }
});
