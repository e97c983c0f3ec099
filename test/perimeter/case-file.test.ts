import t from 'tap';

import { fill, parseCaseFile, readCaseFiles } from './case-file.js';

t.test('a file is its title and cases, each with the configuration above it', (t) => {
  const text = `The title
# A comment.
configuration
  roles: ["urn:gate"]
service
  mode: monitor

plain
  dialects 1.1
  answer pass

a message in two lines
  field SOAPAction: "a\\r\\nb{c*3}"
  header <a/>
    <b/>
  backend-header
  answer F:Client/X

configuration

another
  envelope <E:Body e="{env}" w="{wsa}"/>{<x/>*2}
  path /soap/all
  answer H400
`;
  const { title, cases } = parseCaseFile('a.case', text);
  const [plain, lines, another] = cases;
  t.equal(title, 'The title');
  t.match(plain, {
    name: 'plain',
    at: 'a.case:8',
    dialects: ['1.1'],
    service: '    mode: monitor\n',
    answer: 'pass',
  });
  t.equal(plain?.configuration, 'roles: ["urn:gate"]\n');
  t.equal(plain?.forwarded, plain?.message, 'what passes is forwarded as it is');
  t.equal(lines?.fields['SOAPAction'], '"a\r\nbccc"');
  t.match(lines?.message, '<E:Header><a/><b/></E:Header><E:Body><m:Ping ');
  t.match(lines?.forwarded, '<E:Header></E:Header><E:Body><m:Ping ');
  t.equal(lines?.dialects.length, 3);
  t.match(another, { configuration: '', service: '', path: '/soap/all' });
  t.match(
    fill(another?.message ?? '', '1.1'),
    'e="http://schemas.xmlsoap.org/soap/envelope/" w="http://www.w3.org/2005/',
  );
  t.match(another?.message, '"/><x/><x/></E:Envelope>');
  t.end();
});

t.test('errors in a file are reported with their line', (t) => {
  for (const [text, expected] of [
    ['  answer pass\n', 'a.case:1: the first line is the title'],
    ['T\ncase\n   answer pass\n', 'a.case:3: indent by two'],
    ['T\ncase\n  body <a/>\n', 'a.case:2: "case" has no answer'],
    ['T\ncase\n  anser pass\n', 'a.case:3: "anser" is none of field, '],
    ['T\ncase\n  answer pass\n  answer pass\n', 'a.case:4: answer twice'],
    ['T\ncase\n  body {pong}\n  answer pass\n', 'a.case:3: {pong} is unknown'],
    ['T\ncase\n  field a b\n  answer pass\n', 'a.case:3: a field is "name: value"'],
    ['T\ncase\n  dialects 1.3\n  answer pass\n', 'a.case:2: 1.3 is none of 2001-12, 1.1, 1.2'],
    [
      'T\ncase\n  message <a/>\n  body <b/>\n  answer pass\n',
      'a.case:2: message, envelope, or header and body',
    ],
    ['T\ncase\n  answer pass\ncase\n  answer pass\n', 'a.case:4: there is another case "case" in '],
  ] as const) {
    t.throws(
      () => parseCaseFile('a.case', text),
      { message: new RegExp(expected.replaceAll(/[{}.]/g, '\\$&')) },
      text,
    );
  }
  t.end();
});

t.test('every file of the folder can be read', (t) => {
  const files = readCaseFiles('');
  t.ok(files.length > 15);
  for (const { path, cases } of files) t.ok(cases.length > 0, path);
  t.end();
});
