/**
 * Parts of messages for tests that make them, in the notation of `fill`; most messages of group S
 * are in `test/perimeter`.
 */

const ENVELOPE = '<E:Envelope xmlns:E="{env}" xmlns:c="{enc}">';
const BODY = '<E:Body><m:Ping xmlns:m="urn:m"><a>1</a></m:Ping></E:Body>';

export const withBody = (content: string): string =>
  `${ENVELOPE}<E:Body>${content}</E:Body></E:Envelope>`;
export const withHeader = (content: string, body = BODY): string =>
  `${ENVELOPE}<E:Header>${content}</E:Header>${body}</E:Envelope>`;
export const PLAIN = `${ENVELOPE}${BODY}</E:Envelope>`;

const WSA = 'http://www.w3.org/2005/08/addressing';
/** A block of WS-Addressing 1.0. */
export const wsa = (local: string, content: string, attributes = ''): string =>
  `<w:${local} xmlns:w="${WSA}" ${attributes}>${content}</w:${local}>`;

const WSSE = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
const WSU = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';
const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
export const security = (content: string, attributes = ''): string =>
  `<wsse:Security xmlns:wsse="${WSSE}" xmlns:wsu="${WSU}" ${attributes}>${content}</wsse:Security>`;
/** A signature over the parts with these Ids. What it is worth is for the receiver to say. */
export const signature = (...ids: readonly string[]): string =>
  `<ds:Signature xmlns:ds="${DSIG}"><ds:SignedInfo>` +
  `${ids.map((id) => `<ds:Reference URI="#${id}"/>`).join('')}</ds:SignedInfo></ds:Signature>`;
