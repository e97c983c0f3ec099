import { join } from 'node:path';
import { printSchema } from 'graphql';
import t from 'tap';
import { diffSchemas } from '../../src/cli/operator/schema-diff.js';
import { desk } from '../acceptance/desk.js';
import { recordedTerminal, runCommand } from '../kit/command.js';
import { compileText } from '../kit/configuration.js';
import { useFolder } from '../kit/use.js';

/**
 * The difference between two schemas, as those of two versions, or with the names of the version
 * before.
 */

t.test('what breaks clients, what may, and what is new', async (t) => {
  const folder = await useFolder(t, {
    'a.graphql':
      'type Query { getOrder(id: Int): GetOrderResponse, old: Int }\n' +
      'type GetOrderResponse { sum: Int, kind: Kind }\nenum Kind { A }',
    'b.graphql':
      'type Query { getOrder(id: Int): GetOrderResult, more: Int }\n' +
      'type GetOrderResult { sum: Int, kind: Kind }\nenum Kind { A B }',
  });
  const { printed, ...terminal } = recordedTerminal();
  t.equal(await diffSchemas(join(folder, 'a.graphql'), join(folder, 'b.graphql'), terminal), 1);
  const text = printed.lines.join('\n');
  t.match(text, /breaking +GetOrderResponse was removed\. Now perhaps GetOrderResult\./);
  t.match(text, /breaking +Query\.old was removed/);
  t.match(text, /dangerous +B was added to enum type Kind/);
  t.match(text, /safe +Query\.more was added/);
  t.match(printed.lines.at(-1), /^3 breaking, 1 dangerous, \d+ safe\.$/);
  const { printed: same, ...other } = recordedTerminal();
  t.equal(await diffSchemas(join(folder, 'a.graphql'), join(folder, 'a.graphql'), other), 0);
  t.same(same.lines, ['No changes.']);
});

t.test('schemas by two namings of one WSDL, by the command', async (t) => {
  const wsdl = desk({
    request: '<xs:element name="any" type="xs:anyType"/>',
    reply: '<xs:element name="result" type="xs:anyType"/>',
  });
  const schemaWith = async (more: string): Promise<string> => {
    const yaml = `services: { desk: { wsdl: desk.wsdl, url: "http://127.0.0.1:1/d"${more} } }`;
    return printSchema((await compileText(t, yaml, { 'desk.wsdl': wsdl })).graph.schema);
  };
  const folder = await useFolder(t, {
    'old.graphql': await schemaWith(', naming: exact'),
    'new.graphql': await schemaWith(''),
  });
  const { code, all } = await runCommand(
    'diff',
    join(folder, 'old.graphql'),
    join(folder, 'new.graphql'),
  );
  t.equal(code, 1);
  t.match(all, /breaking +Query\.Get was removed/);
});

t.test('a change that breaks no client is a change', async (t) => {
  const folder = await useFolder(t, {
    'old.graphql': 'type Query { a(b: Int!): Int }',
    'new.graphql': 'type Query { a(b: Int): Int }',
  });
  const [old = '', changed = ''] = ['old', 'new'].map((name) => join(folder, `${name}.graphql`));
  t.match(await runCommand('diff', old, changed), {
    code: 0,
    all: /^No client breaks: .*\n0 breaking, 0 dangerous, 0 safe\./,
  });
  t.match(await runCommand('diff', old, old), { code: 0, all: /^No changes\./ });
});

t.test('schemas that cannot be compared, or named, are reported', async (t) => {
  const folder = await useFolder(t, { 'a.graphql': 'type Query { a: Int }' });
  const file = join(folder, 'a.graphql');
  t.match(await runCommand('diff', file, 'a.wsdl'), {
    code: 2,
    all: /A schema and a WSDL cannot be compared/,
  });
  t.match(await runCommand('diff', file, file, '--usage', 'u.json'), {
    code: 2,
    all: /--usage is for two WSDLs/,
  });
});

t.test('a file that is no schema is an error with what to do', async (t) => {
  const folder = await useFolder(t, { 'a.graphql': 'type Query {' });
  const file = join(folder, 'a.graphql');
  await t.rejects(
    diffSchemas(file, file, recordedTerminal()),
    /no schema that could be read.*soapstone schema/s,
  );
  await t.rejects(
    diffSchemas(`${file}x`, file, recordedTerminal()),
    /no schema that could be read/,
  );
});
