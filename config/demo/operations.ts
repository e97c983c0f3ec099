import { setTimeout as wait } from 'node:timers/promises';
import {
  articleOf,
  type Customer,
  type Desk,
  type Line,
  type Order,
  serialOf,
  totalCents,
} from './desk.js';
import {
  child,
  integer,
  optional as optionalValue,
  required as requiredValue,
} from './elements.js';
import { DeskFault, type Element, escapeText } from './envelope.js';

/**
 * The operations of the demonstration desk: from the call's element to the content of the reply's.
 */

export const DESK = 'http://legacy.example.com/desk';
const TYPES = `${DESK}/types`;

/** The token of the Session header, as the WSDL tells it. */
export const SESSION_TOKEN = 's3cret';

export interface Call {
  readonly desk: Desk;
  readonly element: Element;
  /** The Session header block, null when there is none. */
  readonly session: Element | null;
  readonly signal: AbortSignal;
}

/**
 * The content of the reply's element (XML, whole or in pieces); null when there is no reply at all.
 */
export type Reply = string | Iterable<string> | null;

const SLOW_LIMIT_MILLIS = 60_000;
const EXPORT_LIMIT = 100_000_000;

const optional = (parent: Element, name: string, namespace = DESK): string | null =>
  optionalValue(parent, name, namespace);

const required = (parent: Element, name: string, namespace = DESK): string =>
  requiredValue(parent, name, namespace);

function orderFault(code: number, field: string, reason: string): DeskFault {
  const detail =
    `<d:OrderFault xmlns:d="${DESK}"><d:code>${code}</d:code><d:field>` +
    `${escapeText(field)}</d:field><d:reason>${escapeText(reason)}</d:reason></d:OrderFault>`;
  return new DeskFault('Client', reason, detail);
}

const money = (cents: number): string =>
  `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;

const whenPresent = (name: string, text: string | null): string =>
  text === null ? '' : `<t:${name}>${escapeText(text)}</t:${name}>`;

const orNil = (name: string, text: string | null): string =>
  text === null ? `<t:${name} xsi:nil="true"/>` : `<t:${name}>${escapeText(text)}</t:${name}>`;

const repeated = (name: string, texts: readonly string[]): string =>
  texts.map((text) => `<t:${name}>${escapeText(text)}</t:${name}>`).join('');

function customerContent(customer: Customer): string {
  const { street, city, postcode, country } = customer.address;
  const credit = customer.creditLimitCents;
  return [
    `<t:code>${customer.code}</t:code><t:name>${escapeText(customer.name)}</t:name><t:vip>` +
      `${customer.vip ? 1 : 0}</t:vip>`,
    orNil('creditLimit', credit === null ? null : money(credit)),
    `<t:since>${customer.since}</t:since>`,
    repeated('phone', customer.phones),
    `<t:address><t:street>${escapeText(street)}</t:street><t:city>${escapeText(city)}</t:city>`,
    `${whenPresent('postcode', postcode)}<t:country>${country}</t:country></t:address>`,
  ].join('');
}

function lineElement(line: Line): string {
  const engraving = line.engraving === undefined ? '' : orNil('engraving', line.engraving);
  return (
    `<t:OrderLine no="${line.no}"><t:sku>${line.sku}</t:sku><t:quantity>` +
    `${line.quantity}</t:quantity><t:price>${money(line.priceCents)}</t:price>` +
    `${engraving}</t:OrderLine>`
  );
}

function orderElement(order: Order): string {
  const priority = order.priority === null ? '' : ` priority="${order.priority}"`;
  return [
    `<d:order${priority}><t:id>${order.id}</t:id><t:serial>${order.serial}</t:serial>` +
      `<t:status>${order.status}</t:status>`,
    `<t:placedAt>${order.placedAt}</t:placedAt>${whenPresent('dueDate', order.dueDate)}`,
    `<t:total>${money(totalCents(order.lines))}</t:total>${orNil('note', order.note)}`,
    `<t:customer>${customerContent(order.customer)}</t:customer>`,
    order.lines === null ? '' : `<t:lines>${order.lines.map(lineElement).join('')}</t:lines>`,
    `${repeated('tag', order.tags)}</d:order>`,
  ].join('');
}

function findOrder({ desk, element }: Call): Order {
  const id = integer(required(element, 'id'), 'id');
  const order = desk.order(id);
  if (order === null) throw orderFault(404, 'id', `There is no order ${id}`);
  return order;
}

function listOrders({ desk, element }: Call): Iterable<string> {
  const limit = integer(optional(element, 'limit') ?? '20', 'limit');
  return firstOrders(desk.orders(optional(element, 'status')), Math.min(limit, 1000));
}

function* firstOrders(orders: Iterable<Order>, limit: number): Generator<string> {
  let left = limit;
  for (const order of orders) {
    if (left-- <= 0) return;
    yield orderElement(order);
  }
}

function readLine(element: Element, index: number): Line {
  const field = `lines[${index + 1}]`;
  const quantity = integer(required(element, 'quantity', TYPES), 'quantity');
  if (quantity < 1) throw orderFault(422, `${field}.quantity`, 'The quantity must be positive');
  const price = /^(\d{1,9})(?:\.(\d{1,2})0*)?$/.exec(required(element, 'price', TYPES).trim());
  if (price === null)
    throw orderFault(422, `${field}.price`, 'The price must be an amount with two decimals');
  return {
    no: integer(element.attributes.get('no') ?? '', 'no'),
    sku: required(element, 'sku', TYPES),
    quantity,
    priceCents: Number(price[1]) * 100 + Number((price[2] ?? '').padEnd(2, '0')),
    engraving:
      child(element, 'engraving', TYPES) === null
        ? undefined
        : optional(element, 'engraving', TYPES),
  };
}

function placeOrder({ desk, element }: Call): string {
  const order = child(element, 'order', DESK);
  if (order === null) throw new DeskFault('Client', 'The element order is missing');
  const customer = desk.customer(required(order, 'customerCode', TYPES));
  if (customer === null) throw orderFault(422, 'customerCode', 'There is no such customer');
  const lines = (child(order, 'lines', TYPES)?.children ?? []).map(readLine);
  const dueDate = optional(order, 'dueDate', TYPES);
  const placed = desk.place({ customer, lines, dueDate, note: optional(order, 'note', TYPES) });
  const warnings = [
    ...(dueDate === null ? ['no due date'] : []),
    ...(lines.length === 0 ? ['no lines'] : []),
  ];
  return (
    `<d:receipt><t:orderId>${placed.id}</t:orderId><t:serial>${placed.serial}</t:serial>` +
    `<t:total>${money(totalCents(lines))}</t:total>${repeated('warning', warnings)}</d:receipt>`
  );
}

/** The clerk that the Session header names; a header with a wrong token is a Fault. */
function clerkOf({ session }: Call): string {
  if (session === null) return 'anonymous';
  if (optional(session, 'token') !== SESSION_TOKEN)
    throw new DeskFault('Client', 'The session is not known');
  // Callers of the authorization server have a token alone.
  return optional(session, 'clerk') ?? 'gateway';
}

function cancelOrder(call: Call): string {
  const clerk = clerkOf(call);
  const order = findOrder(call);
  if (order.status === 'SHIPPED') throw orderFault(409, 'id', 'The order has been shipped');
  call.desk.cancel(order);
  return `<d:status>CANCELLED</d:status><d:cancelledBy>${escapeText(clerk)}</d:cancelledBy>`;
}

function getCustomer({ desk, element }: Call): string {
  const customer = desk.customer(required(element, 'code'));
  return customer === null
    ? '<d:customer xsi:nil="true"/>'
    : `<d:customer>${customerContent(customer)}</d:customer>`;
}

function* findCustomers({ desk, element }: Call): Generator<string> {
  const name = optional(element, 'name') ?? '';
  const vip = optional(element, 'vip');
  yield '<d:customers>';
  for (const customer of desk.customers()) {
    if (customer.name.includes(name) && (vip === null || /^(true|1)$/.test(vip) === customer.vip))
      yield `<t:Customer>${customerContent(customer)}</t:Customer>`;
  }
  yield '</d:customers>';
}

function getInventory({ element }: Call): string {
  const sku = required(element, 'sku');
  const n = [1, 2, 3, 4, 5, 6].find((candidate) => articleOf(candidate) === sku);
  if (n === undefined) throw orderFault(404, 'sku', 'There is no such article');
  return [
    `<d:inventory><t:sku>${sku}</t:sku><t:onHand>` +
      `${n === 5 ? '9007199254740995' : n * 12}</t:onHand>`,
    orNil('reorderLevel', n % 2 === 0 ? null : String(n * 5)),
    `<t:weight>${n}.500</t:weight><t:countedOn>2024-05-3${n % 2}+02:00</t:countedOn>`,
    `${repeated('location', ['A-01', 'B-17', 'C-03'].slice(0, n % 4))}</d:inventory>`,
  ].join('');
}

async function slow({ element, signal }: Call): Promise<string> {
  const millis = integer(required(element, 'ms'), 'ms');
  await wait(Math.min(Math.max(millis, 0), SLOW_LIMIT_MILLIS), undefined, { signal });
  return `<d:ms>${millis}</d:ms>`;
}

function exportLedger({ element }: Call): Iterable<string> {
  const count = Math.min(integer(required(element, 'count'), 'count'), EXPORT_LIMIT);
  return records(count);
}

function* records(count: number): Generator<string> {
  for (let n = 1; n <= count; n++) {
    yield `<d:record><t:n>${n}</t:n><t:serial>${serialOf(n)}</t:serial><t:sku>` +
      `${articleOf(n)}</t:sku><t:text>Record ${n} — größe</t:text><t:price>` +
      `${money(1110 + 10 * (n % 90))}</t:price></d:record>`;
  }
}

function notifyShipment({ element }: Call): null {
  integer(required(element, 'orderId'), 'orderId');
  required(element, 'carrier');
  return null;
}

function resetDesk({ desk }: Call): string {
  desk.reset();
  return '';
}

export const OPERATIONS: ReadonlyMap<string, (call: Call) => Reply | Promise<Reply>> = new Map<
  string,
  (call: Call) => Reply | Promise<Reply>
>([
  ['GetOrder', (call) => orderElement(findOrder(call))],
  ['ListOrders', listOrders],
  ['PlaceOrder', placeOrder],
  ['CancelOrder', cancelOrder],
  ['GetCustomer', getCustomer],
  ['FindCustomers', findCustomers],
  ['GetInventory', getInventory],
  ['WhoAmI', (call) => `<d:clerk>${escapeText(clerkOf(call))}</d:clerk>`],
  ['Slow', slow],
  ['Export', exportLedger],
  ['NotifyShipment', notifyShipment],
  ['ResetDesk', resetDesk],
]);
