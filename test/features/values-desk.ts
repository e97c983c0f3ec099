import type { Test } from 'tap';

import { answerOperations } from '../kit/backend.js';
import { useFolder, useService } from '../kit/use.js';
import { element, wrapper, wsdlOf } from '../kit/wsdl.js';

/** Orders of a backend whose values are texts of columns, in wrappers. */

const ORDER = ['active', 'state', 'placed', 'at', 'time', 'total', 'count', 'note', 'customer']
  .map((name) => element(name, 'xs:string', 'minOccurs="0"'))
  .join('');

export const ORDERS = 'urn:orders';

export const VALUES_SCHEMA = `
<xs:complexType name="Order"><xs:sequence>${element('id', 'xs:string')}${ORDER}
  ${element('flags', 'xs:string', 'minOccurs="0" maxOccurs="unbounded"')}
  ${element('codes', 't:Codes', 'minOccurs="0"')}
</xs:sequence><xs:attribute name="due" type="xs:string"/></xs:complexType>
<xs:complexType name="Codes"><xs:sequence>\
${element('code', 'xs:string', 'minOccurs="0" maxOccurs="unbounded"')}</xs:sequence>\
</xs:complexType>
${wrapper('GetOrder', element('id', 'xs:string'))}
${wrapper('GetOrderResponse', element('order', 't:Order', 'minOccurs="0"'))}
${wrapper('FindOrders', element('active', 'xs:string', 'minOccurs="0"') + element('state', 'xs:string', 'minOccurs="0"') + element('since', 'xs:string') + element('most', 'xs:string', 'minOccurs="0"') + element('flags', 'xs:string', 'minOccurs="0" maxOccurs="unbounded"'))}
${wrapper('FindOrdersResponse', element('order', 't:Order', 'minOccurs="0" maxOccurs="unbounded"'))}
${wrapper('SaveOrder', element('order', 't:Order'))}
${wrapper('SaveOrderResponse', element('id', 'xs:string'))}`;

export const VALUES_WSDL = wsdlOf(ORDERS, VALUES_SCHEMA, ['GetOrder', 'FindOrders', 'SaveOrder']);

const ORDER_FIELDS = `        Order:
          fields:
            active: { convert: { boolean: { true: J, false: N } } }
            state: { convert: { enum: { OPEN: "1", SHIPPED: "2" } } }
            placed: { convert: { date: yyyyMMdd, nullWhen: ["00000000", ""] } }
            at: { convert: { dateTime: yyyyMMddHHmmss, zone: Europe/Zurich } }
            time: { convert: { time: HHmmss } }
            total: { convert: { decimal: 2, digits: 7 } }
            count: { convert: { integer: true } }
            note: { convert: { trim: true, nullWhen: ["", "*"] } }
            flags: { convert: { boolean: { true: J, false: N } } }
            codes: { convert: { enum: { RED: R, BLUE: B } } }
            due: { convert: { date: dd.MM.yy } }
`;

/** A gateway before a backend that answers each operation with this content of its reply. */
export async function useValues(
  t: Test,
  contentOf: (operation: string, request: string) => string,
  {
    types = ORDER_FIELDS,
    operations = '{ GetOrder: {}, FindOrders: {}, SaveOrder: {} }',
    wsdl = VALUES_WSDL,
    service = '',
    more = '',
  } = {},
) {
  const folder = await useFolder(t, { 'orders.wsdl': wsdl });
  return useService(
    t,
    answerOperations(ORDERS, contentOf),
    (url) => `${more}services:
  orders:
    wsdl: orders.wsdl
    url: ${url}
    schema:
      types:
${types}    operations: ${operations}
${service}`,
    folder,
  );
}
