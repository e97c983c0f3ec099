export const SOAP_11 = 'http://schemas.xmlsoap.org/soap/envelope/';
export const SOAP_12 = 'http://www.w3.org/2003/05/soap-envelope';

/** An envelope with the prefix `s`, around what Body and Header hold. */
export const envelope = (body: string, header = '', uri: string = SOAP_11): string =>
  `<s:Envelope xmlns:s="${uri}">${header === '' ? '' : `<s:Header>${header}</s:Header>`}<s:Body>${body}</s:Body></s:Envelope>`;

/** Sends a message as SOAP clients do: with the media type of its version, and an empty action in 1.1. */
export const postSoap = (
  url: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
  signal: AbortSignal | null = null,
): Promise<Response> =>
  fetch(url, {
    signal,
    method: 'POST',
    headers: message.includes(SOAP_12)
      ? { 'content-type': 'application/soap+xml', ...headers }
      : { 'content-type': 'text/xml', soapaction: '""', ...headers },
    body: message,
  });
