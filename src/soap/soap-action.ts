import { Buffer } from 'node:buffer';
import { Refusal } from '../core/index.js';

/**
 * The URI in a SOAPAction header field (SOAP 1.1 section 6.1.1), with quotes or, as some clients
 * write it, without; null for none. Throws `HTTP_BAD_REQUEST` for what can be read in two ways.
 */
export function readSoapAction(header: string | null): string | null {
  if (header === null) return null;
  const written = header.trim();
  const isQuoted = written.length >= 2 && written.startsWith('"') && written.endsWith('"');
  const action = isQuoted ? written.slice(1, -1) : written;
  if (UNCLEAR.test(action)) throw new Refusal('HTTP_BAD_REQUEST', 'SOAPAction');
  return actionOrNull(action);
}

/**
 * An action of a WSDL as it goes into a header field. Characters that no header field can carry, or
 * that servers read differently, are escaped as in a URI (RFC 3987 section 3.1). Null for none.
 */
export function printableAction(action: string | null): string | null {
  if (action === null || !UNCLEAR.test(action)) return action;
  return action.replaceAll(UNCLEAR_ALL, (each) =>
    Buffer.from(each).toString('hex').toUpperCase().replaceAll(/../g, '%$&'),
  );
}

const UNCLEAR_ALL = /["\\]|[^\x20-\x7e]/gu;

/** Quotes inside, control characters, and what another server may decode differently. */
const UNCLEAR = /["\\]|[^\x20-\x7e]/;

/** The action, or null for none: zeep writes `None` for none. */
export const actionOrNull = (action: string | null): string | null => {
  const trimmed = action?.trim() ?? '';
  return trimmed === '' || trimmed === 'None' ? null : trimmed;
};
