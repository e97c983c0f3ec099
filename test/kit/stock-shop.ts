import type { Test } from 'tap';

import { answerWith, type RecordingBackend } from './backend.js';
import { envelope } from './envelope.js';
import { useService } from './use.js';

/** The call of the one operation of `stockShop`, and its reply. */
export const GET_STOCK = envelope('<GetStock xmlns="urn:shop"><sku>1</sku></GetStock>');
export const STOCK = '<GetStockResponse xmlns="urn:shop"><stock>7</stock></GetStockResponse>';
export const STOCK_REPLY = envelope(STOCK);

/** Answers as its backend does. */
export const answerStock = answerWith(STOCK_REPLY, 'text/xml');

/**
 * The service `shop` without a WSDL: `stock(sku)` calls its one operation. `keys` are lines of the
 * service, and of what stands behind it; `operation` are keys of the operation.
 */
export const stockShop = (url: string, keys = '', operation = ''): string => `services:
  shop:
    ${url.startsWith('[') ? 'urls' : 'url'}: ${url}
    namespace: urn:shop
    types: |
      type Query { stock(sku: String!): Int }
    operations:
      GetStock: { field: Query.stock${operation === '' ? '' : `, ${operation}`} }
${keys}
`;

/** The service `shop`, its backend and calls to it. */
export async function useStockShop(
  t: Test,
  keys = '',
  operation = '',
  answer: RecordingBackend['answer'] = answerStock,
  directory: string | null = null,
) {
  const service = await useService(
    t,
    answer,
    (url) => stockShop(`${url}/shop`, keys, operation),
    directory,
  );
  return {
    ...service,
    send: (headers: Readonly<Record<string, string>> = {}, message = GET_STOCK) =>
      service.send(message, headers),
    ask: (headers: Readonly<Record<string, string>> = {}, sku = '1') =>
      service.askText(`{ stock(sku: "${sku}") }`, headers),
  };
}
