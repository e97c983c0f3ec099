/**
 * An envelope of about this length that carries orders: prefixes, attributes, entities, text beyond
 * ASCII.
 */
export function orders(bytes: number): Buffer {
  const head =
    '<?xml version="1.0" encoding="utf-8"?>\n' +
    '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"' +
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\n  <soap:Header/>\n  <soap:Body>\n' +
    '    <o:GetOrdersResponse xmlns:o="urn:example:orders" xmlns:c="urn:example:customers">\n';
  const tail = '    </o:GetOrdersResponse>\n  </soap:Body>\n</soap:Envelope>\n';
  const parts = [Buffer.from(head)];
  let length = head.length + tail.length;
  for (let i = 0; length < bytes; i++) {
    const order = Buffer.from(
      `      <o:order id="${100000 + i}" status="shipped">\n` +
        `        <o:placed>2024-03-${10 + (i % 20)}T08:15:00+01:00</o:placed>\n` +
        `        <c:customer vip="${i % 2 === 0}"><c:name>M&#252;ller &amp; ` +
        `Söhne ${i}</c:name><c:city>Zürich</c:city></c:customer>\n` +
        `        <o:lines>\n          <o:line no="1"><o:sku>AB-${i}</o:sku><o:quantity>` +
        `${i % 9}</o:quantity><o:price currency="CHF">${i % 500}.50</o:price></o:line>\n` +
        '          <o:line no="2"><o:sku>XY-7</o:sku><o:quantity>2</o:quantity>' +
        '<o:price currency="CHF">19.90</o:price><o:note xsi:nil="true"/></o:line>\n' +
        '        </o:lines>\n        <o:remark>Please deliver &lt;before&gt; ' +
        `noon, behind the house. Thank you for order ${i}.</o:remark>\n      </o:order>\n`,
    );
    parts.push(order);
    length += order.length;
  }
  parts.push(Buffer.from(tail));
  return Buffer.concat(parts);
}

/** The same orders on their way to the backend: the request element of the operation. */
const asked = (reply: Buffer): Buffer =>
  Buffer.from(reply.toString('latin1').replaceAll('GetOrdersResponse', 'GetOrders'), 'latin1');

/**
 * How a message is filled: indented elements, one text, or elements as dense as programs write
 * them, without a prefix and with.
 */
export const SHAPES = ['elements', 'text', 'dense', 'prefixed'] as const;
export type Shape = (typeof SHAPES)[number];
export type Way = 'up' | 'down';

/** An envelope of about this length, whole. */
export function sizedEnvelope(bytes: number, shape: Shape, way: Way): Buffer {
  if (shape === 'dense' || shape === 'prefixed') {
    const rows = denseRows(bytes, shape === 'prefixed' ? 'o:' : '');
    return way === 'up' ? asked(rows) : rows;
  }
  const filled = orders(shape === 'text' ? 0 : bytes);
  const reply = shape === 'text' ? withText(filled, bytes) : filled;
  return way === 'up' ? asked(reply) : reply;
}

/** Rows of five elements in about a hundred bytes, two of them with an attribute. */
function denseRows(bytes: number, prefix: string): Buffer {
  const [open, close] = [`<${prefix}`, `</${prefix}`];
  const parts = [
    '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>' +
      `${open}GetOrdersResponse xmlns${prefix === '' ? '' : ':o'}="urn:example:orders">`,
  ];
  const tail = `${close}GetOrdersResponse></soap:Body></soap:Envelope>`;
  let length = (parts[0]?.length ?? 0) + tail.length;
  for (let n = 0; length < bytes; n++) {
    const row =
      `${open}row no="${n % 1000}">${open}id>${10_000 + n}${close}id>${open}state>open` +
      `${close}state>${open}sum currency="CHF">${n % 500}.50${close}sum>` +
      `${open}done>true${close}done>${close}row>`;
    parts.push(row);
    length += row.length;
  }
  parts.push(tail);
  return Buffer.from(parts.join(''));
}

function withText(envelope: Buffer, bytes: number): Buffer {
  const at = envelope.indexOf('    </o:GetOrders');
  const text = 'Some text that a backend keeps. '.repeat(
    Math.max(1, Math.ceil((bytes - envelope.length) / 32)),
  );
  const element = Buffer.from(`<o:remark>${text}</o:remark>\n`);
  return Buffer.concat([envelope.subarray(0, at), element, envelope.subarray(at)]);
}

/** A request of 2 KB and a reply of 4 KB, about. */
export const SMALL_REQUEST = asked(orders(1_700));
export const SMALL_REPLY = orders(3_800);

/**
 * An envelope of any length without keeping it: an order or a thousand are written over and over.
 */
export interface LongEnvelope {
  readonly bytes: number;
  chunks(): Generator<Buffer>;
}

const CHUNK_BYTES = 64 * 1024;

/** The beginning of the first row, and what stands behind the last one. */
const ENDS_OF_CONTENT = {
  elements: ['      <o:order ', '    </o:GetOrders'],
  dense: ['<row ', '</GetOrders'],
  prefixed: ['<o:row ', '</o:GetOrders'],
} as const;

/** The content of Body alone, about this long, in rows without a prefix. */
export function denseContent(bytes: number): string {
  const message = sizedEnvelope(bytes, 'dense', 'up').toString();
  return message.slice(message.indexOf('<GetOrders'), message.indexOf('</soap:Body>'));
}

/** An envelope of at least this length, by less than a megabyte more; any shape but text. */
export function longEnvelope(bytes: number, way: Way, shape: Shape = 'elements'): LongEnvelope {
  const sample = sizedEnvelope(1_000_000, shape, way);
  const [first, last] =
    ENDS_OF_CONTENT[shape === 'elements' || shape === 'dense' ? shape : 'prefixed'];
  const begin = sample.indexOf(first);
  const end = sample.indexOf(last);
  const [head, block, tail] = [
    sample.subarray(0, begin),
    sample.subarray(begin, end),
    sample.subarray(end),
  ];
  const blocks = Math.ceil((bytes - head.length - tail.length) / block.length);
  return {
    bytes: head.length + blocks * block.length + tail.length,
    *chunks() {
      yield head;
      for (let n = 0; n < blocks; n++) {
        for (let at = 0; at < block.length; at += CHUNK_BYTES)
          yield block.subarray(at, at + CHUNK_BYTES);
      }
      yield tail;
    },
  };
}

/** The reply to ListOrders of the demonstration's WSDL, with so many orders. */
export const orderList = (count: number): Buffer => listOf(count, order);

/** The same with short orders, each with `more` text: 5,000 of them are 1 MB without. */
export const recordList = (count: number, more = ''): Buffer =>
  listOf(count, (n) => record(n, more));

/** More text for each record, so that it has 250 bytes. */
export const RECORD_NOTE = '; leave it with the neighbour where nobody opens the door';

function listOf(count: number, print: (n: number) => string): Buffer {
  const parts = [
    '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/" ' +
      'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">' +
      '<soap:Body><d:ListOrdersResponse xmlns:d="http://legacy.example.com/desk" ' +
      'xmlns:t="http://legacy.example.com/desk/types">',
  ];
  for (let n = 1; n <= count; n++) parts.push(print(n));
  parts.push('</d:ListOrdersResponse></soap:Body></soap:Envelope>');
  return Buffer.from(parts.join(''));
}

const order = (n: number): string =>
  `<d:order priority="${n % 5}"><t:id>${n}</t:id><t:serial>` +
  `${9_007_199_254_740_993n + BigInt(n)}</t:serial>` +
  `<t:status>PAID</t:status><t:placedAt>2024-0${1 + (n % 9)}-12T09:30:00+02:00</t:placedAt>` +
  '<t:dueDate>2024-12-11</t:dueDate>' +
  `<t:total>${n}.90</t:total><t:note>Deliver to dock ${n % 9} &amp; ring</t:note><t:customer>` +
  `<t:code>C${100 + (n % 40)}</t:code>` +
  '<t:name>Zoë Søndergård</t:name><t:vip>1</t:vip><t:creditLimit xsi:nil="true"/>' +
  '<t:since>2001-02-03</t:since>' +
  '<t:phone>+32 4 555 01</t:phone><t:phone>+32 4 555 02</t:phone><t:address>' +
  '<t:street>Rue de l&apos;Été 7</t:street>' +
  '<t:city>Liège</t:city><t:postcode>4000</t:postcode><t:country>BE</t:country></t:address>' +
  '</t:customer><t:lines>' +
  `<t:OrderLine no="1"><t:sku>AX-100</t:sku><t:quantity>${n % 7}</t:quantity>` +
  '<t:price>9.90</t:price></t:OrderLine>' +
  '<t:OrderLine no="2"><t:sku>BR-15</t:sku><t:quantity>1</t:quantity><t:price>29.90</t:price>' +
  '<t:engraving>always</t:engraving>' +
  '</t:OrderLine></t:lines><t:tag>gift</t:tag></d:order>';

const record = (n: number, more: string): string =>
  `<d:order priority="${n % 5}"><t:id>${n}</t:id><t:status>PAID</t:status>` +
  `<t:placedAt>2024-0${1 + (n % 9)}-12T09:30:00+02:00` +
  `</t:placedAt><t:total>${n}.90</t:total><t:note>Deliver to dock ${n % 9} &amp; ` +
  `ring${more}</t:note></d:order>`;

/** One small call of the demonstration's WSDL, as it is sent. */
export interface SmallCall {
  readonly path: string;
  /** Names and values of header fields in turn. */
  readonly head: string[];
  readonly body: Buffer;
}

/**
 * The same call through the proxy and as a GraphQL query, whose document is known after the first.
 */
export const SOAP_CALL: SmallCall = {
  path: '/soap/legacy',
  head: ['content-type', 'text/xml; charset=utf-8', 'soapaction', '""'],
  body: Buffer.from(
    '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>' +
      '<d:ListOrders xmlns:d="http://legacy.example.com/desk"/></soap:Body></soap:Envelope>',
  ),
};
export const GRAPHQL_CALL: SmallCall = {
  path: '/graphql',
  head: ['content-type', 'application/json'],
  body: Buffer.from(JSON.stringify({ query: '{ orders { id status total customer { name } } }' })),
};
