export const WSA = 'http://www.w3.org/2005/08/addressing';
export const SOAP_11 = 'http://schemas.xmlsoap.org/soap/envelope/';
export const SOAP_12 = 'http://www.w3.org/2003/05/soap-envelope';

/** The namespaces of envelopes and their media types, by version. */
export const SOAP = { '1.1': SOAP_11, '1.2': SOAP_12 } as const;
export const MEDIA = {
  '1.1': 'text/xml; charset=utf-8',
  '1.2': 'application/soap+xml; charset=utf-8',
} as const;

export type Version = keyof typeof SOAP;

/** An envelope with the prefix `s`, around what Body and Header hold. */
export const envelope = (body: string, header = '', uri: string = SOAP_11): string =>
  `<s:Envelope xmlns:s="${uri}">${header === '' ? '' : `<s:Header>${header}</s:Header>`}` +
  `<s:Body>${body}</s:Body></s:Envelope>`;

/** The content of the Body of a Fault of SOAP 1.1, in an envelope with the prefix `s`. */
export const faultOf = (code: string, string = 'no', detail = ''): string =>
  `<s:Fault><faultcode>${code}</faultcode><faultstring>${string}</faultstring>` +
  `${detail === '' ? '' : `<detail>${detail}</detail>`}</s:Fault>`;

/** The name of the operation of a message: that of the first element of its Body. */
export const operationIn = (message: string | Buffer): string =>
  /<(?:\w+:)?Body\b[^>]*>\s*<(?:\w+:)?(\w+)/.exec(String(message))?.[1] ?? '';

/** The text of the first element of this name in a message; null without one. */
export const textIn = (message: string | Buffer, name: string): string | null =>
  new RegExp(`<(?:\\w+:)?${name}(?: [^>]*)?>([^<]*)<`).exec(String(message))?.[1] ?? null;

/**
 * Sends a message as SOAP clients do: with the media type of its version, and an empty action in
 * 1.1.
 */
export const postSoap = (
  url: string,
  message: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
  signal: AbortSignal | null = null,
): Promise<Response> =>
  fetch(url, {
    signal,
    method: 'POST',
    headers: message.includes(SOAP_12)
      ? { 'content-type': 'application/soap+xml', ...headers }
      : { 'content-type': 'text/xml', soapaction: '""', ...headers },
    body: typeof message === 'string' ? message : new Uint8Array(message),
  });
