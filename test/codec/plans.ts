import type {
  Decoded,
  FieldSlot,
  ObjectPlan,
  ObjectVariant,
  ReplyPlan,
  SlotSource,
  ValuePlan,
} from '../../src/codec/plan/reply/reply-plan.js';
import type { Scalar } from '../../src/codec/plan/scalar.js';
import { ReplyDecoder } from '../../src/codec/read/decode.js';
import { scalarOf } from '../../src/codec/values/scalars.js';
import { plainSimpleType } from '../../src/wsdl/plain.js';
import { readXml } from '../kit/read-xml.js';

/** Short ways to write plans, for tests. */

export const URI = 'urn:test';

export const scalar = (builtIn: string): Scalar => scalarOf(plainSimpleType(null, builtIn));

const value = (builtIn: string): ValuePlan => ({ kind: 'scalar', scalar: scalar(builtIn) });

export const object = (...slots: readonly FieldSlot[]): ObjectPlan => ({
  kind: 'object',
  variants: new Map(),
  declared: { slots },
});

export const typed = (
  declared: ObjectVariant | null,
  variants: Readonly<Record<string, ObjectVariant>>,
): ObjectPlan => ({ kind: 'object', variants: new Map(Object.entries(variants)), declared });

/**
 * A slot named as GraphQL writes types: `child('a', 'Int!')` with the built-in type, `[T!]!` for a
 * list.
 */
export function slot(
  key: string,
  source: SlotSource,
  type: string,
  inner: ValuePlan | null = null,
): FieldSlot {
  const list = type.startsWith('[');
  const bare = type.replace(/[[\]!]/g, '');
  return {
    key,
    source,
    list,
    nonNull: type.endsWith('!'),
    itemNonNull: list && type.includes('!]'),
    value: inner ?? value(bare),
  };
}

export const name = (local: string, uri = URI) => ({ uri, local });

export const child = (
  key: string,
  type: string,
  inner: ValuePlan | null = null,
  local = key,
): FieldSlot => slot(key, { from: 'child', name: name(local), default: null }, type, inner);

export const wrapped = (key: string, type: string, inner: ValuePlan | null = null): FieldSlot =>
  slot(
    key,
    { from: 'wrapped list', name: name(key), item: name('item'), default: null },
    type,
    inner,
  );

export const attribute = (key: string, type: string, fallback: string | null = null): FieldSlot =>
  slot(key, { from: 'attribute', name: name(key, ''), default: fallback }, type);

export const text = (key: string, type: string): FieldSlot => slot(key, { from: 'text' }, type);

export const reply = (
  plan: ObjectPlan,
  shape: ReplyPlan['shape'] = 'whole',
  nonNull = false,
): ReplyPlan => ({
  element: { uri: URI, local: 'r' },
  shape,
  value: plan,
  nonNull,
});

const XSI = 'http://www.w3.org/2001/XMLSchema-instance';

/**
 * The content of the Body child, which declares the default namespace and `xsi`, read whole and
 * byte by byte.
 */
export function read(plan: ReplyPlan, content: string, attributes = '', listItems = 1000): Decoded {
  return readDocument(
    plan,
    `<r xmlns="${URI}" xmlns:xsi="${XSI}" ${attributes}>${content}</r>`,
    listItems,
  );
}

export function readDocument(plan: ReplyPlan, document: string, listItems = 1000): Decoded {
  const bytes = Buffer.from(document);
  const whole = decodeReply(plan, [bytes], listItems);
  const pieces = decodeReply(
    plan,
    Array.from(bytes, (byte) => Buffer.of(byte)),
    listItems,
  );
  if (JSON.stringify(whole) !== JSON.stringify(pieces))
    throw new Error('the answer depends on how the bytes are cut');
  return whole;
}

/** The answer of a document, whole or in pieces. */
export function decodeReply(
  plan: ReplyPlan,
  document: string | readonly Uint8Array[],
  listItems = 1000,
): Decoded {
  const decoder = new ReplyDecoder(plan, { listItems });
  readXml(decoder, document);
  return decoder.finish();
}

/** As JSON, without V8's opinions on prototypes; each error as `path: rule`. */
export function shown(decoded: Decoded): {
  readonly value: unknown;
  readonly errors: readonly string[];
} {
  return {
    value: JSON.parse(JSON.stringify(decoded.value)),
    errors: decoded.errors.map((error) => `${error.path.join('.')}: ${error.rule}`),
  };
}
