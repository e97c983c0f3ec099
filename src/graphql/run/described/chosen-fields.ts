import {
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isObjectType,
} from 'graphql';
import { Refusal, spelling } from '../../../core/index.js';
import type { ChosenFields } from './selection.js';

/** The levels and names of one list of fields. */
export interface ChosenBounds {
  readonly levels: number;
  readonly names: number;
}

type Node = Map<string, Node>;

/**
 * Reads a list of fields: `id,name,address/city`, or as GraphQL has it, `id name address { city }`.
 * Throws `BAD_REQUEST` for other signs, and for what is beyond the bounds.
 */
export function readChosenFields(text: string, { levels, names }: ChosenBounds): ChosenFields {
  const root: Node = new Map();
  const groups: Node[] = [];
  let group = root;
  /** The field that a brace or a slash goes on from. */
  let last: Node | null = null;
  let isBelow = false;
  let depth = 1;
  let left = names;
  for (const [token] of text.matchAll(TOKENS)) {
    if (/^\w/.test(token)) {
      const owner: Node = isBelow && last !== null ? last : group;
      depth = isBelow ? depth + 1 : groups.length + 1;
      if (depth > levels || left-- === 0) {
        throw new Refusal('BAD_REQUEST', 'The list of fields has more than allowed.');
      }
      last = owner.get(token) ?? new Map();
      owner.set(token, last);
      isBelow = false;
    } else if (isBelow || (/[/.{(]/.test(token) && last === null)) {
      throw unreadable();
    } else if (token === '/' || token === '.') {
      isBelow = true;
    } else if ((token === '{' || token === '(') && last !== null) {
      if (groups.length >= levels) {
        throw new Refusal('BAD_REQUEST', 'The list of fields has more than allowed.');
      }
      groups.push(group);
      group = last;
      last = null;
    } else if (token === '}' || token === ')') {
      const outer = groups.pop();
      if (outer === undefined) throw unreadable();
      group = outer;
      last = null;
    } else if (token.trim() !== '' && token !== ',') {
      throw unreadable();
    }
  }
  if (isBelow || groups.length > 0) throw unreadable();
  return root;
}

const TOKENS = /\w+|\s+|[^\w\s]/g;

const unreadable = (): Refusal =>
  new Refusal('BAD_REQUEST', 'The list of fields is not readable: id,name,address/city.');

/** A chosen field that is not there. */
export interface UnknownField {
  readonly path: readonly string[];
  /** The known name that is nearest; null where none is near. */
  readonly nearest: string | null;
}

/** The chosen fields that a type has not. */
export function unknownFields(
  type: GraphQLNamedType,
  fields: ChosenFields,
  schema: GraphQLSchema,
): readonly UnknownField[] {
  const unknown: UnknownField[] = [];
  const open: {
    readonly type: GraphQLNamedType;
    readonly fields: ChosenFields;
    readonly path: readonly string[];
  }[] = [{ type, fields, path: [] }];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const known = fieldTypes(at.type, schema);
    for (const [name, within] of at.fields) {
      const path = [...at.path, name];
      const found = known.get(name);
      if (found === undefined) {
        unknown.push({ path, nearest: spelling.nearest(name, [...known.keys()]) });
      } else {
        open.push({ type: found, fields: within, path });
      }
    }
  }
  return unknown;
}

/** The fields of a type, of an abstract one those of all that may stand for it. */
export function fieldTypes(
  type: GraphQLNamedType,
  schema: GraphQLSchema,
): ReadonlyMap<string, GraphQLNamedType> {
  const owners = isAbstractType(type)
    ? schema.getPossibleTypes(type)
    : isObjectType(type)
      ? [type]
      : [];
  return new Map(
    owners.flatMap((owner) =>
      Object.values(owner.getFields()).map(
        (field) => [field.name, getNamedType(field.type)] as const,
      ),
    ),
  );
}
