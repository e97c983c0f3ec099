import {
  type ObjectOptions,
  type Static,
  type StringOptions,
  type TObject,
  type TProperties,
  type TRecord,
  type TSchema,
  Type,
} from '@sinclair/typebox';

/** The table of keys is written with these builders: one file knows TypeBox. */
export const {
  String: string,
  Integer: integer,
  Number: number,
  Boolean: boolean,
  Array: array,
  Optional: optional,
  Partial: partial,
} = Type;

/** A JSON Schema that TypeBox cannot write, with the type that it stands for. Each use has a comment with the reason. */
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

/** An object with these keys and no others. */
export const closed = <T extends TProperties>(properties: T, options: ObjectOptions = {}) =>
  Type.Object(properties, { ...options, additionalProperties: false });

/** An object that is filled with the defaults of its keys where it is absent. */
export const section = <T extends TProperties>(description: string, properties: T) =>
  closed(properties, { description, default: {} });

/** A map whose keys match the pattern; `names` describes how to write one. */
export const mapOf = <T extends TSchema>(pattern: string, value: T, options: ObjectOptions & { names: string }) =>
  Type.Record(Type.String({ pattern }), value, { ...options, additionalProperties: false });

/** One of several texts. Unsafe because TypeBox writes `anyOf`, from which no editor completes and no hint is made. */
export const oneOf = <const T extends readonly string[]>(
  values: T,
  options: { readonly description?: string; readonly default?: T[number] } = {},
) => unsafe<T[number]>({ type: 'string', enum: values, ...options });

/** Yes or no. */
export const flag = (description: string, initial: boolean) => Type.Boolean({ description, default: initial });

/**
 * `true`, `false` or keys. Unsafe because a union would report an error inside the object as "matches none"; one schema
 * with two types reports it where it is.
 */
export const flagOr = <T extends TObject>(description: string, keys: T) =>
  unsafe<boolean | Static<T>>({ ...keys, type: ['boolean', 'object'], description });

/** Keys, or one of several words that the loader makes a map of. Unsafe for the reason of `flagOr`. */
export const wordOr = <T extends TObject | TRecord>(words: readonly string[], keys: T) =>
  unsafe<Static<T>>({
    ...keys,
    type: ['object', 'string'],
    pattern: `^(${words.join('|')})$`,
    hint: `Write ${words.join(', ')}, or a map of keys.`,
  });
