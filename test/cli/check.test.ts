import { join } from 'node:path';
import t, { type Test } from 'tap';
import { check } from '../../src/cli/check.js';
import { printDiagnostic } from '../../src/core/diagnostic.js';
import { recordedTerminal } from '../kit/command.js';
import { diagnosticsOf } from '../kit/configuration.js';
import { useFolder } from '../kit/use.js';
import { schemaWith, wsdlWith } from '../wsdl/written.js';

/** What `check` prints for a configuration, without the folder; or what is wrong with it. */
async function outcome(
  test: Test,
  yaml: string,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const folder = await useFolder(test, { ...files, 'soapstone.yaml': yaml });
  const { printed, ...terminal } = recordedTerminal();
  const problems = await diagnosticsOf(check(join(folder, 'soapstone.yaml'), terminal));
  return [...printed.lines, ...problems.map(printDiagnostic)]
    .join('\n')
    .replaceAll(`${folder}/`, '');
}

const service = (name: string, more = ''): string =>
  `  ${name}:\n    wsdl: ${name}.wsdl\n    url: http://127.0.0.1:1/\n${more}`;

const operations = (names: readonly string[]) => ({
  portType:
    `<portType name="P">${names
      .map(
        (name) => `<operation name="${name}">\
<input message="t:${name.startsWith('Bad') ? 'Gone' : 'In'}"/><output message="t:Out"/>\
</operation>`,
      )
      .join('\n')}` + '</portType>',
  binding:
    '<binding name="B" type="t:P"><soap:binding/>' +
    `${names
      .map(
        (name) => `<operation name="${name}"><soap:operation soapAction="urn:${name}"/>\
</operation>`,
      )
      .join('')}` +
    '</binding>',
});

t.test(
  'each service has its table: operation, port, status, field, reason with its place',
  async (t) => {
    const wsdl = wsdlWith({ types: schemaWith(''), ...operations(['Get', 'BadOne', 'FindIt']) });
    const mapping = '    operations:\n      Get: { field: Query.it }\n      BadOne: false\n';
    const said = await outcome(t, `services:\n${service('a', mapping)}`, { 'a.wsdl': wsdl });
    t.match(
      said,
      `service a: 3 operations: 2 ok, 0 partial, 1 disabled
operation  port  status    field     reason
Get        Soap  ok        Query.it
BadOne     Soap  disabled  -         The message t:Gone is not defined. (a.wsdl:`,
    );
    t.match(said, /^FindIt {5}Soap {2}ok {8}- {9}left out by the configuration$/m);
    t.match(
      said,
      /soapstone\.yaml is fine: 1 service, 3 operations, 1 GraphQL field, \d+ warnings?\.$/,
    );
  },
);

t.test('of thousands of operations those that are not ok are listed, up to a bound', async (t) => {
  const names = Array.from({ length: 3000 }, (_, at) => `${at % 20 === 0 ? 'Bad' : 'Get'}${at}`);
  const said = await outcome(t, `services:\n${service('a')}`, {
    'a.wsdl': wsdlWith(operations(names)),
  });
  const lines = said.split('\n');
  t.equal(lines[0], 'service a: 3000 operations: 2850 ok, 0 partial, 150 disabled');
  t.equal(lines.filter((line) => /^Bad/.test(line)).length, 100);
  t.equal(lines.filter((line) => /^Get/.test(line)).length, 0);
  t.match(said, 'and 50 more that are partial or disabled');
  t.match(said, /warning: There are \d+ more warnings\./);
  t.ok(lines.length < 165, `${lines.length} lines`);
});

t.test(
  'everything that is wrong comes out in one run, whatever phase would have met it',
  async (t) => {
    const broken = {
      'b.wsdl': '<!DOCTYPE a><a>&b;</a>',
      'a.wsdl': wsdlWith({}),
      'c.wsdl': '<html/>',
    };
    const mapped = service('a', '    operations: { Nobody: { field: Query.x } }\n');
    const compiled = await outcome(t, `services:\n${mapped}${service('b')}${service('c')}`, broken);
    for (const wrong of [
      /has no operation `Nobody`/,
      /b\.wsdl:1:1: The WSDL has a DTD/,
      /c\.wsdl: .*HTML page/,
    ]) {
      t.match(compiled, wrong);
    }
    const unloaded = await outcome(
      t,
      'lisen: 1\nclients: {}\nservices:\n' +
        `${service('b')}${service('c', '    path: $' + '{NO_SUCH_VARIABLE}\n')}`,
      broken,
    );
    for (const wrong of [
      /Unknown key `lisen`/,
      /NO_SUCH_VARIABLE is not set/,
      /b\.wsdl:1:\d+: .*DTD/,
      /c\.wsdl: .*HTML/,
    ]) {
      t.match(unloaded, wrong);
    }
    t.match(await outcome(t, 'services: [', broken), /^soapstone\.yaml:1:/);
  },
);

t.test('a service without a callable operation is an error with its reason', async (t) => {
  const wsdl = wsdlWith({ types: schemaWith(''), ...operations(['BadOne', 'BadTwo']) });
  const said = await outcome(t, `services:\n${service('a')}`, { 'a.wsdl': wsdl });
  t.match(said, 'service a: 2 operations: 0 ok, 0 partial, 2 disabled');
  t.match(
    said,
    /^soapstone\.yaml:3:11: No operation of service a can be called\. a\.wsdl:\d+:\d+: The message t:Gone is /m,
  );
  t.notMatch(said, 'is fine');
  const without = wsdlWith({ service: '', binding: '', portType: '' });
  const none = await outcome(t, `services:\n${service('a')}`, { 'a.wsdl': without });
  t.match(none, /^warning: a\.wsdl:\d+:\d+: The WSDL describes no operations\./m);
  t.match(none, /^soapstone\.yaml:3:11: No operation of service a can be called\./m);
});

t.test('errors in a whole file are reported where the configuration names the file', async (t) => {
  const missing = await outcome(t, `services:\n${service('a')}${service('b')}`, { 'b.wsdl': '' });
  t.equal(
    missing,
    'soapstone.yaml:3:11: The file a.wsdl cannot be found. Check the path.\n' +
      'b.wsdl:1:1: The document is empty. Fetch it again.',
  );
  const unloaded = await outcome(t, `lisen: 1\nservices:\n${service('a')}`, {});
  t.match(unloaded, 'soapstone.yaml:4:11: The file a.wsdl cannot be found.');
});

t.test('a service that stands twice is named, with both lines', async (t) => {
  const said = await outcome(t, `services:\n${service('a')}${service('b')}${service('a')}`, {});
  t.equal(
    said,
    'soapstone.yaml:8:3: The key `services.a` stands twice, first in line 2. ' +
      'Keep one, or rename one.',
  );
});

t.test(
  'what a configuration leaves open by what it does not say is printed, a line each',
  async (t) => {
    const open = async (yaml: string): Promise<readonly string[]> =>
      (await outcome(t, yaml, { 'a.wsdl': wsdlWith(operations(['Get', 'Put'])) }))
        .split('\n')
        .filter((line) => line.startsWith('open: '));
    t.same(await open(`services:\n${service('a')}  b: { url: "http://127.0.0.1:1/" }\n`), [
      'open: Every caller may call everything: `clients` identifies none.',
      'open: Callers may ask for the whole GraphQL schema (`graphql.introspection`).',
      'open: Requests may name any host, which lets web pages rebind theirs: ' +
        'name yours in `hosts` or `publicUrl`.',
      'open: Any operation passes to `b`: without `wsdl` none is known.',
      'open: The content of requests to `a` is not validated (`validate.requests`).',
      'open: Decisions are not recorded: there is no `audit`.',
    ]);
    const closed = `services:\n${service('a', '    validate: { requests: enforce }\n    operations: { Get: { scopes: [x] }, Put: {} }\n')}
hosts: [api.example]
audit: {}
graphql: { introspection: false }
clients:
  address: { class: one }
  classes: { one: { allow: [a.Get], budget: {}, scopes: [x] }, two: {} }
`;
    t.same(await open(closed), [
      'open: Clients of class `two` may call everything but `deny`: they have no `allow`.',
      'open: Clients of class `two` may call at any rate: they have no `budget`.',
      'open: Operations of `a` need no scopes: `Put`; others of it do.',
    ]);
    t.same(
      await open(`clients: { trustedProxies: [10.0.0.1] }\nservices:\n${service('a')}`),
      await open(`clients: none\nservices:\n${service('a')}`),
    );
  },
);

t.test('errors of shape hide no errors of names', async (t) => {
  const yaml = `lisen: 1
log: { level: loud }
services:
${service('a', '    operations: { Git: { field: Query.x, weight: much } }\n    schema: { types: { Nobody: { fields: { iban: { mask: { partnr: last4 } } } } } }\n')}
clients:
  apiKeys: { clients: { erp: { class: partner, keys: [short] } } }
  address: { class: partner }
  classes: { partner: { allow: [a.Gut, b], budget: { maximun: 5 } } }
`;
  const said = await outcome(t, yaml, { 'a.wsdl': wsdlWith(operations(['Get', 'Put'])) });
  for (const wrong of [
    /Unknown key `lisen`/,
    /`log\.level` must be one of/,
    /has no operation `Git`.* Did you mean `Get`/,
    /There is no type Nobody/,
    /mask\.partnr` is none of `clients\.classes`\. Did you mean `partner`/,
    /A key has 16 to 512/,
    /Service `a` has no operation `Gut`/,
    /There is no service `b`/,
    /Unknown key `maximun`/,
  ])
    t.match(said, wrong);
  const lines = said.split('\n');
  t.equal(new Set(lines).size, lines.length, 'none comes twice');
  const nothing = await outcome(
    t,
    'services: { a: { wsdl: 5, url: 5 } }\nlog: { level: loud }\n',
    {},
  );
  t.equal(nothing.split('\n').length, 3, 'too little is left to say more');
});

t.test('what lacks a value that is wrong has no further error', async (t) => {
  const yaml = `services:
  a:
    url: http://127.0.0.1:9/
    security:
      verify: { signature: { required: [Bodi], keyValues: known } }
`;
  const found = await outcome(t, yaml, {});
  t.match(found, '`services.a.security.verify.signature.required[0]` is not valid.');
  t.notMatch(found, 'demands nothing');
});
