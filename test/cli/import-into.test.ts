import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';

import { withEntries } from '../../src/config/source/yaml-source.js';
import { runCommand } from '../kit/command.js';
import { schemaWith, wsdlWith } from '../wsdl/written.js';

/** `import --into`: a service more in a configuration that is there. */

const DEMO = 'config/demo/legacy.wsdl';

const MINE = `# The gateway of the desk.
listen: 127.0.0.1:5000   # callers
services:
    crm:   # the old one
        url: "http://127.0.0.1:9/crm"
        # mode: monitor

# Nobody else may call.
clients:
  classes: {internal: {}}
  networks: { office: { addresses: [10.0.0.0/8], class: internal } }
`;

function mine(t: Test): { folder: string; file: string } {
  const folder = t.testdir({ 'mine.yaml': MINE });
  return { folder, file: join(folder, 'mine.yaml') };
}

t.test('a service is added, and everything else in the file stays as it is', async (t) => {
  const { folder, file } = mine(t);
  await chmod(file, 0o640);
  const { code, out, error } = await runCommand('import', DEMO, '--into', file);
  t.equal(code, 0, error);
  t.match(out, `Added to ${file}: orderDesk.`);
  const text = await readFile(file, 'utf8');
  const begin = text.indexOf('\n    # Imported from');
  const end = text.indexOf('\n# Nobody else');
  t.equal(text.slice(0, begin) + text.slice(end), MINE, 'the rest is the same, to the byte');
  t.match(
    text.slice(begin, end),
    /^\n {4}# Imported from .*\n {4}orderDesk: .*\n {6}wsdl: orderDesk\/legacy\.wsdl\n/,
  );
  t.equal((await stat(file)).mode & 0o777, 0o640);
  t.same((await readdir(folder)).sort(), ['mine.yaml', 'orderDesk'], 'no draft is left');
  t.same((await readdir(join(folder, 'orderDesk'))).sort(), [
    'import-report.json',
    'legacy.wsdl',
    'legacy.xsd',
  ]);
  t.match((await runCommand('check', '-c', file)).out, /is fine: 2 services, 12 operations/);
});

t.test('a second import has fields of its own where names collide', async (t) => {
  const folder = t.testdir();
  const file = join(folder, 'soapstone.yaml');
  t.equal((await runCommand('import', DEMO, '-o', folder, '--name', 'first')).code, 0);
  const second = await runCommand('import', DEMO, '--into', file, '--name', 'second');
  t.equal(second.code, 0, second.error);
  t.match(second.out, /^GetOrder +ok +Query\.secondGetOrder$/m);
  t.match(await readFile(file, 'utf8'), 'GetOrder: { field: Query.secondGetOrder }');
  const checked = await runCommand('check', '-c', file);
  t.match(checked.out, /is fine: 2 services, 24 operations, 24 GraphQL fields/);
});

t.test('what collides or cannot be used is refused, and nothing changes', async (t) => {
  const { folder, file } = mine(t);
  const same = await runCommand('import', DEMO, '--into', file, '--name', 'crm');
  t.equal(same.code, 2);
  t.equal(
    same.error,
    `${file}:4:5: There is a service \`crm\` already. Give the new one another name: --name NAME.`,
  );
  const absent = await runCommand('import', DEMO, '--into', join(folder, 'absent.yaml'));
  t.equal(absent.code, 2);
  t.match(
    absent.error,
    /There is no such configuration \(ENOENT\)\. `soapstone import WSDL -o FOLDER` writes a new one\./,
  );
  await mkdir(join(folder, 'orderDesk'));
  await writeFile(join(folder, 'orderDesk/legacy.xsd'), 'mine');
  const full = await runCommand('import', DEMO, '--into', file);
  t.match(
    full.error,
    /The folder for the copy of the WSDL is not empty\. Give another one: -o FOLDER\./,
  );
  t.equal(await readFile(join(folder, 'orderDesk/legacy.xsd'), 'utf8'), 'mine');
  const path = `${MINE.replace('url: "', 'path: /soap/other\n        url: "')}`;
  await writeFile(file, path);
  const taken = await runCommand('import', DEMO, '--into', file, '--name', 'other');
  t.equal(taken.code, 2, 'two services at one path');
  t.match(taken.error, '`services.other.path` is the same path as `services.crm.path`.');
  t.equal(await readFile(file, 'utf8'), path);
  t.same((await readdir(folder)).sort(), ['mine.yaml', 'orderDesk'], 'the copy is gone');
  t.match(
    (await runCommand('import', DEMO, '--into', file, '--force')).error,
    "'--force' cannot be used",
  );
  t.match((await runCommand('import', DEMO)).error, "'--into <file>' not specified");
});

t.test(
  'the file behind a link is replaced, not the link; -o names the folder of the copy',
  async (t) => {
    const { folder, file } = mine(t);
    const link = join(folder, 'link.yaml');
    await symlink('mine.yaml', link);
    t.equal(
      (await runCommand('import', DEMO, '--into', link, '-o', join(folder, 'wsdls/desk'))).code,
      0,
    );
    t.match(await readFile(file, 'utf8'), 'wsdl: wsdls/desk/legacy.wsdl');
    t.ok((await stat(link)).isFile());
  },
);

t.test('entries are added to maps of every style', async (t) => {
  const entry = ['b: # new', '  url: y'];
  const cases: readonly (readonly [text: string, result: string])[] = [
    ['', '\nservices:\n  b: # new\n    url: y\n'],
    ['listen: x', 'listen: x\n\nservices:\n  b: # new\n    url: y\n'],
    ['services:\n  a: 1', 'services:\n  a: 1\n\n  b: # new\n    url: y\n'],
    ['services:\r\n  a: 1\r\n', 'services:\r\n  a: 1\r\n\r\n  b: # new\r\n    url: y\r\n'],
    [
      'services:\n a: |\n  text\n\n# end\n',
      'services:\n a: |\n  text\n\n b: # new\n   url: y\n\n# end\n',
    ],
    [
      'services:\n  a:\n    u: 1 # one\n    # two\n  # three\n# four\nx: 1\n',
      'services:\n  a:\n    u: 1 # one\n    # two\n  # three\n\n  b: # new\n' +
        '    url: y\n# four\nx: 1\n',
    ],
    ['services: {a: 1} # c\n', 'services:\n  a: 1\n  b:\n    # new\n    url: y\n  # c\n'],
    ['services:\nx: 1\n', 'services:\n  b:\n    # new\n    url: y\nx: 1\n'],
  ];
  for (const [text, result] of cases)
    t.equal(withEntries(text, 'f', 'services', entry), result, JSON.stringify(text));
  t.throws(() => withEntries('services: *a', 'f', 'services', entry), {
    name: 'ConfigurationError',
  });
  t.throws(
    () => withEntries('- 1', 'f', 'services', entry),
    /Nothing can be added to `services` of this file\./,
  );
});

t.test('of many operations those are listed that are not ok, the worst first', async (t) => {
  const names = Array.from({ length: 50 }, (_, at) => `GetPart${at}`);
  const operations = (body: (name: string) => string): string => names.map(body).join('');
  const wsdl = wsdlWith({
    types: schemaWith(operations((name) => `<xs:element name="${name}" type="xs:string"/>`)),
    messages: operations(
      (name) => `<message name="${name}"><part name="p" element="t:${name}"/></message>`,
    ),
    portType:
      `<portType name="P">${operations(
        (name) => `<operation name="${name}">\
<input message="t:${name === 'GetPart7' ? 'None' : name}"/></operation>`,
      )}` + '</portType>',
    binding:
      '<binding name="B" type="t:P"><soap:binding ' +
      'transport="http://schemas.xmlsoap.org/soap/http"/>' +
      `${operations(
        (name) => `<operation name="${name}"><input><soap:body use="literal"/></input>\
</operation>`,
      )}` +
      '</binding>',
  });
  const folder = t.testdir({ 'a.wsdl': wsdl });
  const { out } = await runCommand('import', join(folder, 'a.wsdl'), '-o', join(folder, 'made'));
  t.match(out, /^GetPart7 +disabled /m);
  t.notMatch(out, /^GetPart8 /m);
  t.match(out, 'Not listed: 49 operations that are ok. All are in import-report.json.');
});

t.test('import prints the warnings that check prints', async (t) => {
  process.env['IMPORT_INTO_PASSWORD'] = 'secret-of-a-test';
  const folder = t.testdir({ 'a.wsdl': wsdlWith({}) });
  const made = join(folder, 'made');
  const { out } = await runCommand(
    'import',
    join(folder, 'a.wsdl'),
    '-o',
    made,
    '--user',
    `jo:\${IMPORT_INTO_PASSWORD}`,
  );
  const checked = await runCommand('check', '-c', join(made, 'soapstone.yaml'));
  const warnings = (text: string): readonly string[] =>
    [...text.matchAll(/^warning: (?:\S+: )?(.*?\.)/gm)].map(([, what = '']) => what).sort();
  t.ok(warnings(checked.out).length > 0, 'a password that is sent without TLS');
  t.same(warnings(out), warnings(checked.out));
});
