import { isRecord, jsonValues } from '../../core/index.js';

/** `exchange.json` of a recorded exchange. */
export interface ExchangeDescription {
  readonly format: 1;
  readonly service: string;
  readonly operation: string;
  readonly kind: 'read' | 'write';
  readonly values: 'replaced' | 'kept';
  readonly startedAt: string;
  readonly millis: number;
  /** The file of the types of the reply, in the folder `types`. */
  readonly types: string;
  readonly request: { readonly contentType: string | null; readonly soapAction: string | null };
  readonly reply: { readonly status: number; readonly contentType: string | null };
}

/** Reads the text of an `exchange.json`; null for one that is none. */
export function readExchangeDescription(text: string): ExchangeDescription | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(value) || value['format'] !== 1) return null;
  const textAt = (owner: unknown, key: string): string | null => {
    const member = jsonValues.readMember(owner, key);
    return typeof member === 'string' ? member : null;
  };
  const numberAt = (owner: unknown, key: string): number => {
    const member = jsonValues.readMember(owner, key);
    return typeof member === 'number' ? member : 0;
  };
  const { request, reply } = value;
  const operation = textAt(value, 'operation');
  const types = textAt(value, 'types');
  // The name of a file, and no path.
  if (operation === null || types === null || !/^[\p{L}\p{N}_.-]+\.json$/u.test(types)) return null;
  return {
    format: 1,
    service: textAt(value, 'service') ?? '',
    operation,
    kind: value['kind'] === 'read' ? 'read' : 'write',
    values: value['values'] === 'kept' ? 'kept' : 'replaced',
    startedAt: textAt(value, 'startedAt') ?? '',
    millis: numberAt(value, 'millis'),
    types,
    request: {
      contentType: textAt(request, 'contentType'),
      soapAction: textAt(request, 'soapAction'),
    },
    reply: { status: numberAt(reply, 'status'), contentType: textAt(reply, 'contentType') },
  };
}
