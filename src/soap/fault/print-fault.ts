import type { Buffer } from 'node:buffer';
import { type Refusal, refusals } from '../../core/index.js';
import { type QName, XmlWriter } from '../../xml/index.js';
import type { Dialect } from '../dialect.js';
import { NotUnderstood } from '../header/header.js';
import { ERROR_URI } from './fault-policy.js';

/** WS-Security has names for its faults (SOAP Message Security 1.1 section 12). */
const WSSE = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
export interface FaultOptions {
  /** The id of the exchange. */
  readonly id: string;
  /** The dialects that are spoken here. */
  readonly spoken: readonly Dialect[];
  /** Whether the caller is told more of its own message than the code says. */
  readonly isExplained: boolean;
}

/**
 * Prints a Fault of the gateway: its code by blame, the public text, the refusal code with the id
 * of the exchange.
 */
export function printFault(
  dialect: Dialect,
  refusal: Refusal,
  { id, spoken, isExplained }: FaultOptions,
): Buffer {
  const explanation = isExplained ? refusals.explain(refusal) : null;
  const writer = new XmlWriter();
  writer.open('soap', 'Envelope').namespace('soap', dialect.envelopeUri);
  if (dialect.needsEncodingNamespace) {
    writer.attribute('soap', 'encodingStyle', dialect.encodingUri);
  }
  if (dialect.faultForm === 'Code') {
    if (refusal.kind.fault === 'VersionMismatch') {
      printUpgrade(writer, spoken);
    }
    if (refusal instanceof NotUnderstood) {
      printNotUnderstood(writer, refusal.names);
    }
  }
  writer.open('soap', 'Body').open('soap', 'Fault');
  const text = explanation?.text ?? refusal.message;
  const code = faultCodeOf(dialect, refusal);
  switch (dialect.faultForm) {
    case 'faultcode':
      // A QName in SOAP 1.1; the first dialect permits the bare code only.
      writer.open(null, 'faultcode');
      if (refusal.kind.isSecurityFault === true && dialect.faultCodesAreQNames) {
        writer.namespace('wsse', WSSE).text(refusal.code);
      } else {
        writer.text(dialect.faultCodesAreQNames ? `soap:${code}` : code);
      }
      writer.close().open(null, 'faultstring').text(text).close().open(null, 'detail');
      break;
    case 'Code':
      writer.open('soap', 'Code').open('soap', 'Value').text(`soap:${code}`).close();
      if (refusal.code.startsWith('wsse:')) {
        writer
          .open('soap', 'Subcode')
          .open('soap', 'Value')
          .namespace('wsse', WSSE)
          .text(refusal.code)
          .close()
          .close();
      }
      writer.close();
      writer
        .open('soap', 'Reason')
        .open('soap', 'Text')
        .attribute('xml', 'lang', 'en')
        .text(text)
        .close()
        .close();
      writer.open('soap', 'Detail');
      break;
  }
  printError(writer, refusal, id, explanation);
  return writer.close().close().close().close().finish();
}

/**
 * Prints the entry of the detail. Attributes are repeated as elements: SoapClient of PHP drops
 * attributes. Several values of one name are an element each, and one attribute.
 */
function printError(
  writer: XmlWriter,
  refusal: Refusal,
  id: string,
  explanation: refusals.Explanation | null,
): void {
  const fields: refusals.ExplainedField[] = [
    ['code', refusal.code],
    ['id', id],
    ...(explanation?.fields ?? []),
  ];
  const attributes = new Map<string, string>();
  for (const [name, value] of fields) {
    attributes.set(name, [attributes.get(name) ?? [], value].flat().join(' '));
  }
  writer.open(null, 'error').namespace(null, ERROR_URI);
  for (const [name, value] of attributes) {
    writer.attribute(null, name, value);
  }
  for (const [name, value] of fields) {
    writer.open(null, name).text(value).close();
  }
  writer.close();
}

/** The local part of the fault code that follows from blame and dialect. */
export function faultCodeOf(dialect: Dialect, refusal: Refusal): string {
  const { fault, blame } = refusal.kind;
  // Only SOAP 1.2 has this code; to the others the data is an error of the sender.
  if (fault !== undefined && (fault !== 'DataEncodingUnknown' || dialect.faultForm === 'Code')) {
    return fault;
  }
  return blame === 'client' || blame === 'peer' ? dialect.senderCode : dialect.receiverCode;
}

/** The Upgrade header block of SOAP 1.2 part 1 section 5.4.7: the versions that are spoken here. */
function printUpgrade(writer: XmlWriter, spoken: readonly Dialect[]): void {
  writer.open('soap', 'Header').open('soap', 'Upgrade');
  for (const { name, envelopeUri } of spoken) {
    const prefix = `v${name.replaceAll(/[^0-9]/g, '')}`;
    writer.open('soap', 'SupportedEnvelope').namespace(prefix, envelopeUri);
    writer.attribute(null, 'qname', `${prefix}:Envelope`).close();
  }
  writer.close().close();
}

/** Longer names are left out: they are not those of header blocks in use. */
const NAME_CHARS_MAX = 256;

/**
 * Prints the NotUnderstood header blocks of SOAP 1.2 part 1 section 5.4.8. Only here a name of the
 * input is repeated, as the section demands. It is a valid name, and its length is bounded.
 */
function printNotUnderstood(writer: XmlWriter, names: readonly QName[]): void {
  writer.open('soap', 'Header');
  for (const { uri, local } of names) {
    if (uri.length > NAME_CHARS_MAX || local.length > NAME_CHARS_MAX) continue;
    writer.open('soap', 'NotUnderstood');
    if (uri === '') {
      writer.attribute(null, 'qname', local);
    } else {
      writer.namespace('q', uri).attribute(null, 'qname', `q:${local}`);
    }
    writer.close();
  }
  writer.close();
}
