import {
  type ArrayOptions,
  type ObjectOptions,
  type Static,
  type StringOptions,
  type TObject,
  type TProperties,
  type TRecord,
  type TSchema,
  Type,
} from '@sinclair/typebox';

import type { LimitTable } from '../../core/index.js';

/** The table of keys is written with these builders: one file knows TypeBox. */
export const {
  String: string,
  Integer: integer,
  Number: number,
  Optional: optional,
  Partial: partial,
} = Type;

/**
 * A JSON Schema that TypeBox cannot write, with the type that it stands for. Each use has a comment
 * with the reason.
 */
export const { Unsafe: unsafe } = Type;

/** Keys by name. */
export type Properties = TProperties;
export type TextOptions = StringOptions;

/** The data of a schema once it is checked, immutable. */
export type StaticOf<T extends TSchema> = DeepReadonly<Static<T>>;

type DeepReadonly<T> = T extends (infer U)[]
  ? readonly DeepReadonly<U>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

/** A description or a default that a key may lack: what is undefined is left out. */
const given = (description?: string, initial?: unknown) => ({
  ...(description === undefined ? {} : { description }),
  ...(initial === undefined ? {} : { default: initial }),
});

/** A text. */
export const text = (description: string, options: StringOptions = {}) =>
  Type.String({ description, ...options });

/** Several values of one kind. */
export const list = <T extends TSchema>(
  items: T,
  description: string,
  options: ArrayOptions = {},
) => Type.Array(items, { description, ...options });

const amount =
  (unit?: LimitTable[string]['unit']) =>
  (description: string, [minimum, maximum]: readonly [number, number], initial?: number) =>
    Type.Integer({
      description,
      ...(unit === undefined ? {} : { unit }),
      minimum,
      maximum,
      ...given(undefined, initial),
    });

/** A whole number from a least to a greatest, by its unit. */
export const whole = amount();
export const count = amount('count');
export const millis = amount('millis');
export const points = amount('points');

/** A whole number, or the word for none. Unsafe for the reason of `flagOr`. */
export const millisOrNone = (
  description: string,
  [minimum, maximum]: readonly [number, number],
  initial: number,
) =>
  unsafe<number | 'none'>({
    type: ['integer', 'string'],
    description,
    unit: 'millis',
    minimum,
    maximum,
    pattern: '^none$',
    hint: 'Write a number of milliseconds, or none.',
    default: initial,
  });

/** An object with these keys and no others. */
export const closed = <T extends TProperties>(
  properties: T,
  description?: string,
  options: ObjectOptions = {},
) => Type.Object(properties, { ...given(description), ...options, additionalProperties: false });

/** An object that is filled with the defaults of its keys where it is absent. */
export const section = <T extends TProperties>(description: string, properties: T) =>
  closed(properties, description, { default: {} });

/** A map whose keys match the pattern; `names` describes how to write one. */
export const mapOf = <T extends TSchema>(
  pattern: string,
  value: T,
  description: string | undefined,
  options: ObjectOptions & { names: string },
) =>
  Type.Record(Type.String({ pattern }), value, {
    ...given(description),
    ...options,
    additionalProperties: false,
  });

/**
 * One of several texts. Unsafe because TypeBox writes `anyOf`, from which no editor completes and
 * no hint is made.
 */
export const oneOf = <const T extends readonly string[]>(
  values: T,
  description?: string,
  initial?: T[number],
) => unsafe<T[number]>({ type: 'string', enum: values, ...given(description, initial) });

/** Yes or no. */
export const flag = (description: string, initial?: boolean) =>
  Type.Boolean(given(description, initial));

/**
 * `true`, `false` or keys. Unsafe because a union would report an error inside the object as
 * "matches none"; one schema with two types reports it where it is.
 */
export const flagOr = <T extends TObject>(description: string, keys: T) =>
  unsafe<boolean | Static<T>>({ ...keys, type: ['boolean', 'object'], description });

/**
 * Keys, or one of several words that the loader makes a map of. Unsafe for the reason of `flagOr`.
 */
export const wordOr = <T extends TObject | TRecord>(words: readonly string[], keys: T) =>
  unsafe<Static<T>>({
    ...keys,
    type: ['object', 'string'],
    pattern: `^(${words.join('|')})$`,
    hint: `Write ${words.join(', ')}, or a map of keys.`,
  });
