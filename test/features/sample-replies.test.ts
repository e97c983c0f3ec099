import t from 'tap';
import { answerWith } from '../kit/backend.js';
import { envelope, SOAP_11, SOAP_12 } from '../kit/envelope.js';
import { item, startReplyDesk } from '../kit/reply-desk.js';

const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
const named = (attributes: string): string => item().replace('<t:name', `<t:name ${attributes}`);
const NAIL = { name: 'nail', count: 7 };

/**
 * Replies of the kinds that the samples of node-soap have, with the values that it reads. Null: no
 * value is read, because it is no XML, or no envelope.
 */
const REPLIES: Readonly<Record<string, readonly [reply: string, item: object | null]>> = {
  'white space between all elements': [
    envelope(`\n  ${item().replaceAll('><', '>\n\t<')}\n`),
    NAIL,
  ],
  'the default namespace on the wrapper': [
    envelope('<GetItemResponse xmlns="urn:t"><name>nail</name><count>7</count></GetItemResponse>'),
    NAIL,
  ],
  'children without a namespace': [
    envelope(
      '<t:GetItemResponse xmlns:t="urn:t"><name>nail</name><count>7</count></t:GetItemResponse>',
    ),
    NAIL,
  ],
  'other prefixes for every namespace': [
    `<SOAP-ENV:Envelope xmlns:SOAP-ENV="${SOAP_11}" xmlns:n="urn:t"><SOAP-ENV:Header/>` +
      `<SOAP-ENV:Body>${item().replaceAll('t:', 'n:').replace(' xmlns:n="urn:t"', '')}` +
      '</SOAP-ENV:Body></SOAP-ENV:Envelope>',
    NAIL,
  ],
  'an envelope in a comment before it': [
    `<!-- <s:Envelope><s:Body/></s:Envelope> -->\n${envelope(item())}`,
    NAIL,
  ],
  'a document in a CDATA section': [
    envelope(item('<![CDATA[<?xml version="1.0"?><form Name="a & b"/>]]>')),
    { name: '<?xml version="1.0"?><form Name="a & b"/>', count: 7 },
  ],
  'references of characters': [
    envelope(item('&lt;b&gt; &amp; &#x48;&#228;')),
    { name: '<b> & H\u00e4', count: 7 },
  ],
  'text with blanks around it': [envelope(item('\n  nail\n')), { name: '\n  nail\n', count: 7 }],
  'xsi:nil that is false': [envelope(named(`${XSI} xsi:nil="false"`)), NAIL],
  'an optional element that is nil': [
    envelope(
      `<t:GetItemResponse xmlns:t="urn:t"><t:name>nail</t:name><t:count ${XSI} xsi:nil="true"/>` +
        '</t:GetItemResponse>',
    ),
    { name: 'nail', count: null },
  ],
  'an optional element that is empty': [
    envelope(item().replace('>7<', '><')),
    { name: 'nail', count: null },
  ],
  'types of built-in values': [
    envelope(named(`${XSI} xmlns:xsd="http://www.w3.org/2001/XMLSchema" xsi:type="xsd:string"`)),
    NAIL,
  ],
  'attributes that nothing declares': [envelope(named('lang="en-US" id="a"')), NAIL],
  'elements that nothing declares': [envelope(item().replace('<t:count', '<x/><t:count')), NAIL],
  'elements in another order': [
    envelope(
      '<t:GetItemResponse xmlns:t="urn:t"><t:count>7</t:count><t:name>nail</t:name>' +
        '</t:GetItemResponse>',
    ),
    NAIL,
  ],
  'encodingStyle of the namespace of the envelope': [
    envelope(item()).replace('<s:Body>', `<s:Body s:encodingStyle="${SOAP_11}">`),
    NAIL,
  ],
  'blocks in the Header': [envelope(item(), '<h:Token xmlns:h="urn:h">abc</h:Token>'), NAIL],
  'a block that must be understood, by another word': [
    envelope(item(), '<h:Token xmlns:h="urn:h" s:mustUnderstand="true">abc</h:Token>'),
    NAIL,
  ],
  'an envelope of SOAP 1.2': [envelope(item(), '', SOAP_12), NAIL],
  'a namespace of the envelope without its last stroke': [
    envelope(item(), '', SOAP_11.slice(0, -1)),
    null,
  ],
  'end tags of other elements': [envelope(item()).replace('</t:name>', '</t:nome>'), null],
  'a notice before the envelope': [`<br />\n<b>Notice</b>: a\n${envelope(item())}`, null],
  'a notice behind it': [`${envelope(item())}<br />`, null],
  'a document without an envelope': ['<number><number>7</number></number>', null],
};

t.test('replies of the kinds that node-soap reads give their values', async (t) => {
  const desk = await startReplyDesk(t);
  for (const [name, [reply, expected]] of Object.entries(REPLIES)) {
    desk.backend.answer = answerWith(reply, 'text/xml; charset=utf-8');
    const got = await desk.call('graphql');
    t.same(JSON.parse(got.text).data, { getItem: expected }, `${name}: ${got.text}`);
    const passed = await desk.call('soap');
    if (expected === null) {
      t.match(passed.text, 'UPSTREAM_INVALID_RESPONSE', name);
    } else {
      t.equal(passed.text, reply, name);
    }
  }
});
