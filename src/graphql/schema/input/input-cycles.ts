import {
  type GraphQLInputField,
  type GraphQLInputObjectType,
  GraphQLNonNull,
  isInputObjectType,
  isNonNullType,
} from 'graphql';
import type { Steps } from '../../../core/index.js';

/**
 * Makes fields nullable where an input type could not be written otherwise: it requires one of its
 * own kind within itself, for ever. GraphQL has no such types, and schemas of XML may. Very long
 * chains are cut too, as graphql-js follows them by recursion. Returns the fields; the encoder goes
 * on to require them.
 */
export function* relaxCycles(types: readonly GraphQLInputObjectType[]): Steps<readonly string[]> {
  const relaxed: string[] = [];
  /**
   * How many types the longest chain of required fields below has; -1 while that is being found
   * out.
   */
  const heights = new Map<GraphQLInputObjectType, number>();
  for (const root of types) {
    yield;
    const stack = heights.has(root) ? [] : [frameOf(root)];
    heights.set(root, heights.get(root) ?? -1);
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const field = frame.fields[frame.next];
      if (field === undefined) {
        stack.pop();
        heights.set(frame.type, frame.height);
        continue;
      }
      const target = requiredOf(field);
      const height = target === null ? 0 : heights.get(target);
      if (target !== null && height === undefined) {
        heights.set(target, -1);
        stack.push(frameOf(target));
        continue;
      }
      frame.next += 1;
      if (target === null || height === undefined) continue;
      if (height === -1 || height >= CHAIN_MAX) {
        if (isNonNullType(field.type)) {
          field.type = field.type.ofType;
        }
        relaxed.push(`${frame.type.name}.${field.name}`);
      } else {
        frame.height = Math.max(frame.height, height + 1);
      }
    }
  }
  return relaxed;
}

const CHAIN_MAX = 500;

interface Frame {
  readonly type: GraphQLInputObjectType;
  readonly fields: readonly GraphQLInputField[];
  next: number;
  height: number;
}

const frameOf = (type: GraphQLInputObjectType): Frame => ({
  type,
  fields: Object.values(type.getFields()),
  next: 0,
  height: 0,
});

function requiredOf({ type }: GraphQLInputField): GraphQLInputObjectType | null {
  const required = type instanceof GraphQLNonNull ? type.ofType : null;
  return required !== null && isInputObjectType(required) ? required : null;
}
