import { t } from 'tap';
import { answerWith } from '../kit/backend.js';
import { envelope, postSoap } from '../kit/envelope.js';
import { askGraphql } from '../kit/graphql-client.js';
import { useBackend, useGateway } from '../kit/use.js';

const TYPE =
  'multipart/related; type="application/xop+xml"; boundary="BB"; ' +
  'start="<root>"; start-info="text/xml"';
const TYPES = `type Query { getIt: GetItResponse }
      type GetItResponse { bin: [Base64] }`;

const included = (href: string): string =>
  `<t:bin><xop:Include xmlns:xop="http://www.w3.org/2004/08/xop/include" href="${href}"/></t:bin>`;

/** A reply whose envelope includes one part, as these hrefs name it. */
const packageOf = (id: string, hrefs: readonly string[], lineEnd: string): string =>
  [
    '--BB',
    'Content-ID: <root>',
    'Content-Type: application/xop+xml; charset=UTF-8; type="text/xml"',
    '',
    envelope(`<t:GetItResponse xmlns:t="urn:t">${hrefs.map(included).join('')}</t:GetItResponse>`),
    '--BB',
    `Content-ID: ${id}`,
    'Content-Type: application/octet-stream',
    '',
    'HELLO',
    '--BB--',
    '',
  ].join(lineEnd);

const CASES: readonly (readonly [
  title: string,
  id: string,
  hrefs: readonly string[],
  lineEnd?: string,
])[] = [
  ['by RFC 2392', '<a-1@urn:us:gov>', ['cid:a-1@urn%3Aus%3Agov']],
  ['both encoded (CXF)', '<a-1@urn%3Aus%3Agov>', ['cid:a-1@urn%3Aus%3Agov']],
  ['the Content-ID encoded', '<a-1@urn%3Aus%3Agov>', ['cid:a-1@urn:us:gov']],
  [
    'both encoded, a URL',
    '<a-2@http%3A%2F%2Fcxf.apache.org%2F>',
    ['cid:a-2@http%3A%2F%2Fcxf.apache.org%2F'],
  ],
  ['lines that end with LF', '<b@x>', ['cid:b@x'], '\n'],
  ['one part, two Includes', '<b@x>', ['cid:b@x', 'cid:b%40x']],
];

t.test('A part is found by its Content-ID as it is written and decoded', async (t) => {
  const backend = await useBackend(t, answerWith(''));
  const gateway = await useGateway(
    t,
    `services:
  s:
    url: ${backend.url}/s
    namespace: urn:t
    types: |
      scalar Base64
      ${TYPES}
    operations: { GetIt: { field: Query.getIt } }
`,
  );
  for (const [title, id, hrefs, lineEnd = '\r\n'] of CASES) {
    const reply = packageOf(id, hrefs, lineEnd);
    backend.answer = answerWith(reply, TYPE);
    const answer = await postSoap(`${gateway.url}/soap/s`, envelope('<t:GetIt xmlns:t="urn:t"/>'));
    t.equal(answer.status, 200, title);
    t.equal(await answer.text(), reply, `${title}: byte for byte`);
    t.strictSame(
      await askGraphql(gateway.url, '{ getIt { bin } }'),
      { data: { getIt: { bin: hrefs.map(() => 'SEVMTE8=') } } },
      `${title}, in GraphQL`,
    );
  }
});
