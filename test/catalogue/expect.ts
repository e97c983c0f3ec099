import type { Test } from 'tap';

import { DIALECTS, type DialectName } from '../../src/soap/dialect.js';
import type { RawReply } from '../kit/raw-client.js';

/** What no dialect can decode: the first dialect answers these with an empty 400. */
const UNDECODABLE: ReadonlySet<string> = new Set([
  'XML_NOT_WELLFORMED',
  'XML_VERSION',
  'XML_ENCODING',
  'XML_NS_ERROR',
  'ENCODING_CORRUPT',
]);

/** Asserts that a reply is the answer that the table writes for it, in this dialect. */
export function expectAnswer(
  t: Test,
  reply: RawReply,
  answer: string,
  dialect: DialectName,
  name: string,
): void {
  if (answer === 'pass') t.equal(reply.status, 200, `${name}: passes`);
  else if (answer === 'cut') t.equal(reply.isCut, true, `${name}: is cut`);
  else if (/^\d{3}$/.test(answer)) t.equal(reply.status, Number(answer), `${name}: status`);
  else if (/^H\d{3}$/.test(answer)) expectStatus(t, reply, Number(answer.slice(1)), dialect, name);
  else expectFault(t, reply, answer, dialect, name);
}

/**
 * Catalogue convention D2. A 400 of the first dialect has no content, no answer to HEAD has, and no
 * 503: shedding load costs as little as it can. A head that cannot be parsed has no path yet: its
 * answer is empty where any service speaks the first dialect.
 */
function expectStatus(
  t: Test,
  reply: RawReply,
  status: number,
  dialect: DialectName,
  name: string,
): void {
  t.equal(reply.status, status, `${name}: status`);
  if (
    (status === 400 && dialect === '2001-12') ||
    status === 503 ||
    /HEAD|S09 (?:folded|a line feed)/.test(name)
  )
    t.equal(reply.headers.get('content-length'), '0', `${name}: nothing in it`);
  else expectSentence(t, reply, name);
  t.equal(reply.headers.get('connection')?.toLowerCase(), 'close', `${name}: the connection ends`);
}

/** One fixed sentence for people, which no browser takes for anything else. */
function expectSentence(t: Test, reply: RawReply, name: string): void {
  t.equal(reply.headers.get('content-type'), 'text/plain; charset=utf-8', `${name}: plain text`);
  t.equal(reply.headers.get('x-content-type-options'), 'nosniff', `${name}: nosniff`);
  t.equal(reply.headers.get('content-length'), String(reply.body.length), `${name}: its length`);
  t.match(reply.body, /^[A-Z][A-Za-z0-9 .,:;/+=_()`'-]{10,200}\.\n$/, `${name}: a sentence`);
}

/** Catalogue convention D1. */
function expectFault(
  t: Test,
  reply: RawReply,
  answer: string,
  dialect: DialectName,
  name: string,
): void {
  const row = DIALECTS[dialect];
  const [kind = '', code = ''] = answer.replace(/^F:/, '').split('/');
  if (UNDECODABLE.has(code) && row.undecodable === 'empty 400') {
    t.equal(reply.status, 400, `${name}: 400`);
    t.equal(reply.headers.get('content-length'), '0', `${name}: nothing in it`);
    return;
  }
  const unknownHere = kind === 'DataEncodingUnknown' && dialect !== '1.2';
  const faultCode =
    kind === 'Client' || unknownHere ? row.senderCode : kind === 'Server' ? row.receiverCode : kind;
  t.equal(reply.status, faultCode === 'Sender' ? 400 : 500, `${name}: status`);
  t.ok(reply.headers.get('content-type')?.startsWith(row.mediaType), `${name}: media type`);
  t.match(reply.body, `"${row.envelopeUri}"`, `${name}: dialect`);
  t.match(
    reply.body,
    `${row.faultCodesAreQNames ? 'soap:' : '>'}${faultCode}<`,
    `${name}: fault code`,
  );
  if (code !== '') t.match(reply.body, `code="${code}"`, `${name}: our code`);
}
