import { Buffer } from 'node:buffer';
import type { Test } from 'tap';
import { answerWith, type RecordedMessage, type RecordingBackend } from '../kit/backend.js';
import { envelope, MEDIA, SOAP, type Version } from '../kit/envelope.js';
import { useFolder, useService } from '../kit/use.js';
import { element, wrapper, wsdlOf } from '../kit/wsdl.js';

/** The types of content: base64, and the two ways in which gSOAP declares an Include. */
const TYPES = `
  <xs:complexType name="Included"><xs:sequence><xs:element ref="xop:Include" minOccurs="1" \
maxOccurs="1"/></xs:sequence>
    <xs:attribute ref="xmime:contentType"/></xs:complexType>
  <xs:complexType name="Typed"><xs:simpleContent><xs:extension base="xs:base64Binary">\
<xs:attribute ref="xmime:contentType"/></xs:extension></xs:simpleContent></xs:complexType>
  <xs:simpleType name="Short"><xs:restriction base="xs:base64Binary"><xs:maxLength value="4"/>\
</xs:restriction></xs:simpleType>`;

const XOP = 'http://www.w3.org/2004/08/xop/include';
const XMIME = 'http://www.w3.org/2005/05/xmlmime';
const MAYBE = 'minOccurs="0"';
const CONTENT = [
  element('name', 'xs:string', MAYBE),
  element('content', 'xs:base64Binary', MAYBE),
  element('second', 'xs:base64Binary', MAYBE),
  element('included', 't:Included', MAYBE),
  element('typed', 't:Typed', MAYBE),
  element('short', 't:Short', MAYBE),
  element('many', 'xs:base64Binary', 'minOccurs="0" maxOccurs="unbounded"'),
].join('');

export const fileWsdl = (version: Version = '1.1', policy = ''): string =>
  wsdlOf(
    'urn:d',
    `<xs:import namespace="${XOP}"/><xs:import namespace="${XMIME}"/>${TYPES}
${wrapper('Save', CONTENT)}
${wrapper('SaveResponse', element('size', 'xs:int', MAYBE))}`,
    ['Save'],
    {
      version,
      attributes: ` xmlns:xop="${XOP}" xmlns:xmime="${XMIME}"`,
      inBinding: policy,
      actionOf: (name) => `urn:d/${name}`,
    },
  );

export const savedReply = (size: number, version: Version = '1.1'): string =>
  envelope(`<SaveResponse xmlns="urn:d"><size>${size}</size></SaveResponse>`, '', SOAP[version]);

/** A service that saves files. `keys`: further keys of the service, `more`: of the gateway. */
export async function startFileDesk(
  t: Test,
  keys = 'mtom: true',
  more = '',
  version: Version = '1.1',
  mapping: string | null = null,
) {
  const field = mapping === '' ? 'field: Query.save' : `field: Mutation.save, ${mapping ?? ''}`;
  const operations = `versions: ["${version}"], operations: { Save: { ${field} } }`;
  return useService(
    t,
    answerWith(savedReply(7, version), MEDIA[version]),
    (url) =>
      `services: { files: { wsdl: files.wsdl, url: "${url}/f", ${operations}, ${keys} } }\n${more}`,
    await useFolder(t, { 'files.wsdl': fileWsdl(version) }),
  );
}

/** The last message that a backend got. */
export function lastOf({ complete }: RecordingBackend): RecordedMessage {
  const message = complete.at(-1);
  if (message === undefined) throw new Error('nothing was sent');
  return message;
}

interface ReadPart {
  readonly fields: ReadonlyMap<string, string>;
  readonly content: Buffer;
}

/**
 * A package, read without the code of the gateway: parts by Content-ID, the first of them the root.
 */
export function readPackage({
  headers,
  body,
}: Pick<RecordedMessage, 'headers' | 'body'>): readonly ReadPart[] {
  const [, boundary = ''] = /boundary="([^"]+)"/.exec(String(headers['content-type'])) ?? [];
  const text = body.toString('latin1');
  const pieces = `\r\n${text}`.split(`\r\n--${boundary}`);
  if (pieces[0] !== '' || pieces.at(-1) !== '--\r\n') throw new Error('no package');
  return pieces.slice(1, -1).map((piece) => {
    const end = piece.indexOf('\r\n\r\n');
    const fields = piece
      .slice(2, end)
      .split('\r\n')
      .map((line): [string, string] => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 2),
      ]);
    return { fields: new Map(fields), content: Buffer.from(piece.slice(end + 4), 'latin1') };
  });
}

/** The bytes of the element `name` of an envelope in a package, and the media type of its part. */
export function includedIn(message: Pick<RecordedMessage, 'headers' | 'body'>, name: string) {
  const [root, ...others] = readPackage(message);
  const found = new RegExp(
    `<\\w+:${name}\\b[^>]*><xop:Include href="cid:([^"]+)"/></\\w+:${name}>`,
  ).exec(root?.content.toString() ?? '');
  const part = others.find(({ fields }) => fields.get('content-id') === `<${found?.[1]}>`);
  if (part === undefined) throw new Error(`no part for ${name}: ${root?.content}`);
  return { content: part.content, type: part.fields.get('content-type') };
}
