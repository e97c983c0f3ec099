import { buildSchema, execute, getIntrospectionQuery, parse } from 'graphql';
import t from 'tap';
import { introspectionAnswers } from '../../src/graphql/run/introspection-answers.js';

/** Introspection in portions: types and fields come one after the other. */

const many = (print: (at: number) => string): string =>
  Array.from({ length: 60 }, (_, at) => print(at)).join('\n');

const SCHEMA = buildSchema(`
  type Query implements Named { name: String
    ${many((at) => `get${at}(id: Int, like: Like): Node ${at % 3 === 0 ? '@deprecated' : ''}`)} }
  type Mutation { ${many((at) => `set${at}: Node`)} }
  type Node { id: Int, next: Node }
  interface Named { name: String }
  input Like { ${many((at) => `a${at}: Int ${at % 2 === 0 ? '@deprecated' : ''}`)} }
`);

const NEVER = { aborted: false, addEventListener() {}, removeEventListener() {} };

const FIELDS = 'fields { name args { name } }';

for (const [name, key, text] of [
  ['all of it', '__schema', getIntrospectionQuery({ inputValueDeprecation: true })],
  ['without what is deprecated', '__schema', `{ __schema { types { name ${FIELDS} } } }`],
  ['input fields', '__schema', '{ __schema { types { inputFields { name } } } }'],
  ['the type of queries', '__schema', `{ __schema { queryType { ${FIELDS} } } }`],
  ['one type', '__type', `{ __type(name: "Query") { ${FIELDS} } }`],
  ['a fragment', '__schema', `{ ... on Query { __schema { mutationType { ${FIELDS} } } } }`],
  ['a fragment of an interface', '__type', '{ ... on Named { __type(name: "Like") { name } } }'],
] as const) {
  t.test(`introspection of many fields has what graphql-js answers: ${name}`, async (t) => {
    const document = parse(text);
    const expected = await execute({ schema: SCHEMA, document });
    const { value, errors } = await introspectionAnswers(SCHEMA).answer(key, document, {}, NEVER);
    t.same(errors, []);
    t.strictSame(
      JSON.parse(value?.text ?? 'null'),
      JSON.parse(JSON.stringify(expected.data?.[key])),
    );
  });
}
