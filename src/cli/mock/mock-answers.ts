import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../base/error-code.js';
import { ExampleWriter } from '../../codec/example/example-content.js';
import type { Dialect } from '../../soap/dialect.js';
import { childrenOfBody, type Operation } from '../../wsdl/model.js';
import { escapeText } from '../../xml/writer.js';

/** An answer of the mock. */
export interface MockAnswer {
  readonly status: number;
  /** '' for an empty answer. */
  readonly body: string;
}

/** The reply to an operation: the recorded one, else an example by its schema. */
export async function replyTo(operation: Operation, dialect: Dialect, recorded: string | null): Promise<MockAnswer> {
  const found = recorded === null ? null : await recordedReply(recorded, operation);
  if (found !== null) return { status: 200, body: found };
  if (operation.output === null) return { status: 202, body: '' };
  const writer = new ExampleWriter();
  const body = childrenOfBody(operation.output)
    .map((element) => writer.element(element))
    .join('');
  return { status: 200, body: envelopeOf(dialect, body, writer.declarations) };
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
export function faultOf(dialect: Dialect, text: string): MockAnswer {
  const { faultForm, senderCode, senderFaultStatus } = dialect;
  const reason = escapeText(text);
  const parts =
    faultForm === 'faultcode'
      ? `<faultcode>e:${senderCode}</faultcode><faultstring>${reason}</faultstring>`
      : `<e:Code><e:Value>e:${senderCode}</e:Value></e:Code><e:Reason><e:Text xml:lang="en">${reason}</e:Text></e:Reason>`;
  return { status: senderFaultStatus, body: envelopeOf(dialect, `<e:Fault>${parts}</e:Fault>`) };
}

const envelopeOf = (
  { envelopeUri, encodingUri, needsEncodingNamespace }: Dialect,
  body: string,
  declarations = '',
): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<e:Envelope xmlns:e="${envelopeUri}"${needsEncodingNamespace ? ` xmlns:c="${encodingUri}"` : ''}${declarations}><e:Body>${body}</e:Body></e:Envelope>`;
