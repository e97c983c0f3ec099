import type { GraphqlService } from '../../src/graphql/schema/fields/exposure.js';
import type {
  AttributeDeclaration,
  ComplexType,
  Content,
  ElementDeclaration,
  Operation,
  Particle,
  SimpleType,
  WsdlModel,
  XsdType,
} from '../../src/wsdl/model.js';
import {
  plainComplexType,
  plainElement,
  plainSimpleType,
  sequenceOf,
} from '../../src/wsdl/plain.js';

/** A small builder for models: what the reader of WSDL would make, without its detours. */
export const URI = 'urn:shop';

export const simple = (builtIn: string, about: Partial<SimpleType> = {}): SimpleType => ({
  ...plainSimpleType(null, builtIn),
  ...about,
});

export const STRING = simple('string');
export const INT = simple('int');
export const LONG = simple('long');
export const DECIMAL = simple('decimal');

export const enumeration = (local: string, ...values: string[]): SimpleType =>
  simple('string', {
    name: { uri: URI, local },
    enumeration: values.map((value) => ({ value, documentation: null })),
  });

export const element = (
  local: string,
  type: XsdType,
  about: Partial<ElementDeclaration> = {},
): ElementDeclaration => ({
  ...plainElement({ uri: URI, local }, type),
  ...about,
});

export type Occurrence = '' | '?' | '*' | '+';

/** One element as a particle: once, `?` at most once, `*` any number, `+` at least one. */
export const one = (
  local: string,
  type: XsdType,
  occurrence: Occurrence = '',
  about: Partial<ElementDeclaration> = {},
): Particle => ({
  kind: 'one',
  element: element(local, type, about),
  min: occurrence === '' || occurrence === '+' ? 1 : 0,
  max: occurrence === '*' || occurrence === '+' ? Infinity : 1,
});

export const group = (
  kind: 'sequence' | 'choice' | 'all',
  particles: readonly Particle[],
  min = 1,
  max = 1,
): Particle => ({ kind, particles, min, max });

export const attribute = (
  local: string,
  type: SimpleType,
  about: Partial<AttributeDeclaration> = {},
): AttributeDeclaration => ({
  name: { uri: '', local },
  type,
  required: false,
  default: null,
  fixed: null,
  documentation: null,
  ...about,
});

export type MutableComplex = { -readonly [K in keyof ComplexType]: ComplexType[K] };

export const elements = (...particles: Particle[]): Content => sequenceOf(particles);

/** A complex type; '' for one without a name. Mutable, for recursive types. */
export const complex = (
  local: string,
  content: Content,
  about: Partial<ComplexType> = {},
): MutableComplex => ({
  ...plainComplexType(local === '' ? null : { uri: URI, local }, content),
  ...about,
});

/** A type that extends `base` by these particles. */
export function extension(
  local: string,
  base: MutableComplex,
  ...particles: Particle[]
): MutableComplex {
  const inherited = base.content.kind === 'elements' ? [base.content.particle] : [];
  const type = complex(local, elements(...inherited, ...particles), {
    base,
    derivation: 'extension',
    attributes: base.attributes,
  });
  base.derived = [...base.derived, type];
  return type;
}

/** An operation in document/literal wrapped style. `reply` null: one-way. */
export const operation = (
  name: string,
  request: readonly Particle[],
  reply: readonly Particle[] | null,
  about: Partial<Operation> = {},
): Operation => ({
  name,
  documentation: null,
  soapAction: null,
  addressingAction: null,
  status: 'ok',
  reasons: [],
  input: { body: element(name, complex('', elements(...request))), headers: [] },
  output:
    reply === null
      ? null
      : { body: element(`${name}Response`, complex('', elements(...reply))), headers: [] },
  faults: [],
  ...about,
});

/** A service `shop` without a mapping. */
export const service = (
  operations: readonly Operation[],
  about: Partial<GraphqlService> = {},
): GraphqlService => ({
  name: 'shop',
  operations,
  mapping: new Map(),
  naming: 'camel',
  ...about,
});

/** A model of one service with these ports. */
export const modelWith = (...ports: readonly (readonly Operation[])[]): WsdlModel => ({
  services: [
    {
      name: { uri: URI, local: 'S' },
      ports: ports.map((operations, index) => ({
        name: `P${index}`,
        dialect: '1.1',
        address: null,
        operations,
      })),
    },
  ],
  types: new Map(),
  elements: new Map(),
  documents: [],
  warnings: [],
});

/** A shop: lists, enumerations, a type that others extend, recursion. */
export function shop(): readonly Operation[] {
  const status = enumeration('Status', 'NEW', 'ON HOLD', '1st');
  const part = complex('Part', elements(one('Sku', STRING), one('Weight', DECIMAL, '?')));
  const engine = extension('Engine', part, one('Power', INT));
  extension('TurboEngine', engine, one('Boost', INT, '?'));
  extension('Wheel', part, one('Spokes', INT, '*'));
  const line = complex(
    'Line',
    elements(one('Sku', STRING), one('Quantity', INT), one('Parts', part, '*')),
    {
      attributes: [attribute('no', INT, { required: true })],
    },
  );
  const lines = complex('ArrayOfLine', elements(one('Line', line, '*', { nillable: true })));
  const order = complex('Order', elements());
  order.content = elements(
    one('OrderID', INT),
    one('Serial', LONG),
    one('Status', status),
    one('Note', STRING, '?'),
    one('Lines', lines, '?'),
    one('Tag', STRING, '*'),
    one('Previous', order, '?'),
    one('MainPart', part, '?'),
  );
  return [
    operation('GetOrder', [one('OrderID', INT)], [one('GetOrderResult', order)]),
    operation(
      'ListOrders',
      [one('Status', status, '?'), one('limit', INT, '?')],
      [one('Order', order, '*')],
    ),
    operation('CountOrders', [], [one('count', LONG)]),
    operation('PlaceOrder', [one('Order', order)], [one('OrderID', INT), one('Total', DECIMAL)]),
    operation('Forget', [one('OrderID', INT)], null),
  ];
}
