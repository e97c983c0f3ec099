import { Buffer } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exampleValues } from '../../codec/index.js';
import { errorCode } from '../../core/index.js';
import type { Dialect } from '../../soap/index.js';
import { childrenOfBody, type Operation } from '../../wsdl/index.js';
import { escapeText } from '../../xml/index.js';
import { readMockRequest } from './mock-request.js';

/** An answer of the mock. */
export interface MockAnswer {
  readonly status: number;
  /** '' for an empty answer. */
  readonly body: string;
}

/** The status of a Fault that is not the sender's. */
const FAULT_STATUS = 500;

export interface MockAsked {
  /** The folder of recorded replies, or null. */
  readonly recorded: string | null;
  /** The recorded answer to the same request; null for none. */
  readonly exchange: MockAnswer | null;
  /**
   * The Fault that the request asked for, by its name in the WSDL; any other name is its string.
   * Null for none.
   */
  readonly fault: string | null;
  /** Texts that values must have; null: by the schema alone. */
  readonly texts: exampleValues.WantedTextsOf | null;
}

/**
 * The reply to an operation: the Fault that was asked for, the recorded reply to the same
 * arguments, that of the operation, else an example by its schema.
 */
export async function replyTo(
  operation: Operation,
  dialect: Dialect,
  { recorded, exchange, fault, texts }: MockAsked,
): Promise<MockAnswer> {
  if (fault !== null) return declaredFault(operation, dialect, fault, texts);
  if (exchange !== null) return exchange;
  const found = recorded === null ? null : await recordedReply(recorded, operation);
  if (found !== null) {
    return { status: isFault(found) ? FAULT_STATUS : 200, body: found };
  }
  if (operation.output === null) return { status: 202, body: '' };
  const writer = new exampleValues.ExampleWriter(texts);
  const body = childrenOfBody(operation.output)
    .map((element) => writer.element(element))
    .join('');
  return { status: 200, body: envelopeOf(dialect, body, writer.declarations) };
}

/** Whether an envelope holds a Fault. A recorded file that is no envelope goes out as it is. */
function isFault(envelope: string): boolean {
  try {
    return readMockRequest(Buffer.from(envelope), '')?.body?.local === 'Fault';
  } catch {
    return false;
  }
}

/** `GetOrder.xml` of the folder; null where there is none. */
async function recordedReply(folder: string, { name }: Operation): Promise<string | null> {
  // The name of an operation is one of XML, and no path.
  if (!/^[\p{L}\p{N}_.-]+$/u.test(name)) return null;
  try {
    return await readFile(join(folder, `${name}.xml`), 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** A Fault of the sender, as the backend would answer what it does not understand. */
export const faultOf = (dialect: Dialect, text: string): MockAnswer => ({
  status: dialect.senderFaultStatus,
  body: envelopeOf(dialect, printFault(dialect, dialect.senderCode, text, '')),
});

/** A Fault of the receiver with the detail that the WSDL declares for it. */
function declaredFault(
  { faults }: Operation,
  dialect: Dialect,
  name: string,
  texts: exampleValues.WantedTextsOf | null,
): MockAnswer {
  const declared = faults.find((each) => each.name === name);
  const writer = new exampleValues.ExampleWriter(texts);
  const detail = declared === undefined ? '' : writer.element(declared.element);
  const body = printFault(dialect, dialect.receiverCode, name, detail);
  return { status: FAULT_STATUS, body: envelopeOf(dialect, body, writer.declarations) };
}

function printFault({ faultForm }: Dialect, code: string, text: string, detail: string): string {
  const reason = escapeText(text);
  const isOld = faultForm === 'faultcode';
  const parts = isOld
    ? `<faultcode>e:${code}</faultcode><faultstring>${reason}</faultstring>`
    : `<e:Code><e:Value>e:${code}</e:Value></e:Code><e:Reason><e:Text xml:lang="en">` +
      `${reason}</e:Text></e:Reason>`;
  const name = isOld ? 'detail' : 'e:Detail';
  return `<e:Fault>${parts}${detail === '' ? '' : `<${name}>${detail}</${name}>`}</e:Fault>`;
}

const envelopeOf = (
  { envelopeUri, encodingUri, needsEncodingNamespace }: Dialect,
  body: string,
  declarations = '',
): string =>
  '<?xml version="1.0" encoding="UTF-8"?>\n' +
  `<e:Envelope xmlns:e="${envelopeUri}"` +
  `${needsEncodingNamespace ? ` xmlns:c="${encodingUri}"` : ''}` +
  `${declarations}><e:Body>${body}</e:Body></e:Envelope>`;
