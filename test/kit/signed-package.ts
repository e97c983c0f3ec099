import { Buffer } from 'node:buffer';

const XOP = 'http://www.w3.org/2004/08/xop/include';
export const PACKAGE_TYPE =
  'multipart/related; boundary=b; type="application/xop+xml"; ' +
  'start="<root>"; start-info="text/xml"';

export type Part = readonly [id: string, content: Buffer, head?: string];

/** A package as CXF writes it. */
export function packed(envelope: string, parts: readonly Part[]): Buffer {
  const others = parts.flatMap(([id, content, head = 'Content-Transfer-Encoding: binary']) => [
    Buffer.from(
      `--b\r\nContent-Type: application/octet-stream\r\n${head}\r\nContent-ID: <${id}>\r\n\r\n`,
    ),
    content,
    Buffer.from('\r\n'),
  ]);
  const root =
    '--b\r\nContent-Type: application/xop+xml; charset=UTF-8; type="text/xml"\r\n' +
    'Content-ID: <root>\r\n\r\n';
  return Buffer.concat([
    Buffer.from(`${root}${envelope}\r\n`),
    ...others,
    Buffer.from('--b--\r\n'),
  ]);
}

export const include = (id: string): string =>
  `<xop:Include xmlns:xop="${XOP}" href="cid:${encodeURIComponent(id)}"/>`;

/**
 * Moves the base64 texts of these elements of a signed envelope into parts, after it was signed.
 */
export function moved(envelope: string, ...locals: readonly string[]): readonly [string, Part[]] {
  const parts: Part[] = [];
  let text = envelope;
  for (const local of locals) {
    const element = new RegExp(`(<(?:\\w+:)?${local}(?: [^>]*)?>)([^<]+)(</)`, 'g');
    text = text.replace(element, (_, open: string, letters: string, close: string) => {
      const id = `${local}-${parts.length}@cxf.apache.org`;
      parts.push([id, Buffer.from(letters, 'base64')]);
      return `${open}${include(id)}${close}`;
    });
  }
  return [text, parts];
}

/** Elements whose texts CXF moves into parts, and the content of a message. */
export const MOVED = ['BinarySecurityToken', 'SignatureValue', 'DigestValue', 'scan'] as const;

/** The content of the messages. */
export const contentOf = (bytes: Buffer): string =>
  `<Pay xmlns="urn:desk"><sum>10</sum><scan>${bytes.toString('base64')}</scan></Pay>`;
