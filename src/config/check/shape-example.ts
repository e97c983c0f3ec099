import type { ConfigPath } from '../keys/config-path.js';
import { printAmount } from '../keys/units.js';
import { type SchemaNode, typesOf } from './schema-node.js';

/**
 * Values in the right form, by the key that they stand at: what a table of keys cannot tell of
 * names, addresses and references.
 */
const EXAMPLES: Readonly<Record<string, string>> = {
  services: '{ orders: { wsdl: orders.wsdl, url: "http://10.0.0.7/orders" } }',
  orders: '{ wsdl: orders.wsdl, url: "http://10.0.0.7/orders" }',
  operations: '{ GetOrder: { field: Query.order } }',
  arguments: '{ number: { name: id } }',
  headers: '{ x-system: web }',
  urls: '["http://a/orders", "http://b/orders"]',
  versions: '["1.1"]',
  bridge: '["1.2"]',
  include: '["services/*.yaml"]',
  origins: '["https://shop.example"]',
  listen: '127.0.0.1:4000',
  limits: '{ xml: { messageBytes: 10MiB } }',
  clients: '{ address: { class: public }, classes: { public: {} } }',
  apiKeys: `{ header: x-api-key, clients: { shop: { class: partner, keys: ["\${SHOP_KEY}"] } } }`,
  classes: '{ partner: { allow: [orders.GetOrder] } }',
  keys: `["\${SHOP_KEY}"]`,
  networks: '{ office: { class: internal, addresses: [10.0.0.0/8] } }',
  types: '{ Order: { name: PurchaseOrder } }',
  fields: '{ total: { name: sum } }',
  links: '{ Order.buyer: { operation: crm.GetCustomer, arguments: { code: customer.code } } }',
  subscriptions: '{ orderChanged: { poll: { operation: orders.GetOrder, everyMillis: 5s } } }',
  routes: '[{ path: /files, url: "http://10.0.0.7/files" }]',
  budget: '{ maximum: 1000, restoreRate: 50 }',
  mcp: '{ operations: [orders.GetOrder] }',
  allow: '[orders.GetOrder]',
  deny: '[orders.Export]',
  scopes: '["orders:read"]',
  on: '[refused, reset]',
  auth: `{ basic: { username: gateway, password: "\${PASSWORD}" } }`,
};

const DEPTH_MAX = 2;

/** A key with a value in the right form, as YAML; null where nothing can be shown. */
export function shapeExample(path: ConfigPath, node: SchemaNode): string | null {
  const key = path.at(-1);
  if (typeof key !== 'string') return null;
  const value = namedExample(key, path, node) ?? exampleValue(node, 0);
  return value === null ? null : `${key}: ${value}`;
}

/** The names of maps are the operator's: an entry is shown as one of its kind. */
function namedExample(key: string, path: ConfigPath, node: SchemaNode): string | null {
  const known = Object.hasOwn(EXAMPLES, key) ? (EXAMPLES[key] ?? null) : null;
  const owner = path.at(-2);
  if (owner === 'services') return EXAMPLES['orders'] ?? null;
  if (owner === 'operations') return '{ field: Query.order }';
  if (known === null) return null;
  const form = known.startsWith('{') ? 'object' : known.startsWith('[') ? 'array' : 'string';
  return typesOf(node).includes(form) ? known : null;
}

function exampleValue(node: SchemaNode, depth: number): string | null {
  const [type] = typesOf(node).filter((each) => each !== 'null');
  if (node.enum !== undefined) return String(node.enum[0]);
  switch (type) {
    case 'boolean':
      return 'true';
    case 'integer':
    case 'number': {
      const amount = typeof node.default === 'number' ? node.default : (node.minimum ?? 1);
      return printAmount(amount, node.unit ?? 'count').replaceAll(',', '');
    }
    case 'string':
      return typeof node.default === 'string' ? node.default : null;
    case 'array': {
      const item = node.items === undefined ? null : exampleValue(node.items, depth + 1);
      return item === null ? null : `[${item}]`;
    }
    case 'object':
      return depth < DEPTH_MAX ? mapOf(node, depth) : null;
    default:
      return null;
  }
}

/** The first key that can be shown, and all that must be there. */
function mapOf(node: SchemaNode, depth: number): string | null {
  const keys = Object.entries((node.else ?? node).properties ?? {});
  const required = new Set(node.required);
  const shown: string[] = [];
  for (const [key, child] of keys) {
    if (required.size > 0 && !required.has(key)) continue;
    const value = namedExample(key, [key], child) ?? exampleValue(child, depth + 1);
    if (value === null && required.has(key)) return null;
    if (value === null) continue;
    shown.push(`${key}: ${value}`);
    if (required.size === 0) break;
  }
  return shown.length === 0 ? null : `{ ${shown.join(', ')} }`;
}
