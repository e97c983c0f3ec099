import type { ServiceConfig } from '../../config/schema.js';
import { type Dialect, mimeTypes, printableAction } from '../../soap/index.js';
import type { Operation } from '../../wsdl/index.js';
import type { AddressingTable } from './addressing.js';

/** How HTTP describes the messages that the gateway writes for an operation. */
export interface CallHead {
  /** As it goes into header fields; null for none. */
  readonly action: string | null;
  readonly contentType: string;
  /** Null in a dialect that has it in the Content-Type. */
  readonly soapAction: string | null;
  /**
   * The binary content of its messages that goes into parts of a package: all, or what the schema
   * declares as an Include.
   */
  readonly included: 'all' | 'declared';
  /** Header fields, names and values in turn. */
  readonly fields: readonly string[];
}

/**
 * The heads of all operations of a service, made once: a new string is checked letter by letter
 * before it is sent.
 */
export function compileCallHeads(
  dialect: Dialect,
  addressing: AddressingTable,
  operations: readonly Operation[],
  { mtom, attachments }: Pick<ServiceConfig, 'mtom' | 'attachments'>,
): (operation: Operation) => CallHead {
  const make = (operation: Operation): CallHead => {
    const isPackaged = mtom ?? operation.isPackaged === true;
    const included = isPackaged ? 'all' : 'declared';
    const action = printableAction(addressing?.get(operation)?.action ?? operation.soapAction);
    const contentType = mimeTypes.printMediaType(dialect, action);
    const soapAction = dialect.actionHeader ? `"${action ?? ''}"` : null;
    const hasParts = operation.output?.attachments !== undefined || (isPackaged && attachments);
    const accepted = hasParts ? ', multipart/related' : '';
    const fields = [
      ...['content-type', contentType, 'accept', `${dialect.mediaType}${accepted}`],
      ...['accept-encoding', 'gzip'],
    ];
    if (soapAction !== null) {
      fields.push('soapaction', soapAction);
    }
    return { action, contentType, soapAction, included, fields };
  };
  const heads = new Map(operations.map((operation) => [operation, make(operation)]));
  return (operation) => heads.get(operation) ?? make(operation);
}
