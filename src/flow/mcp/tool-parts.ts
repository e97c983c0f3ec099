import type { GraphQLSchema } from 'graphql';
import { isRecord, type Steps } from '../../core/index.js';
import type { DescribedOperation, namedOperations } from '../../graphql/index.js';
import { bytesOf, FRAME_BYTES } from './bound-value.js';
import { argumentsSchema, inputDescriber, type Tool, toolHead } from './tool.js';

/** Tools that were found. Their schemas refer to definitions that they share. */
export interface ToolParts {
  readonly tools: readonly Omit<Tool, 'outputSchema'>[];
  readonly $defs?: Readonly<Record<string, namedOperations.JsonSchema>>;
  /** Types for which there was no room. */
  readonly leftOut?: readonly string[];
  readonly note?: string;
}

/** Types that an answer names as left out. */
const LEFT_OUT_MAX = 100;

/** Characters of a description where there is little room. */
const DESCRIPTION_CHARS = 300;

export interface DescribedTool {
  readonly described: DescribedOperation;
  readonly isIdempotent: boolean;
}

/**
 * Describes tools in at most `bytesMax` bytes, written twice: their arguments first, then the types
 * of these, from the outside in. An object for which there is little room loses its descriptions,
 * then the schemas of its members.
 */
export function* describeParts(
  tools: readonly DescribedTool[],
  schema: GraphQLSchema,
  bytesMax: number,
): Steps<ToolParts> {
  const describer = inputDescriber(schema);
  const room = new Room(bytesMax - FRAME_BYTES);
  const described: Omit<Tool, 'outputSchema'>[] = [];
  for (const [at, { described: each, isIdempotent }] of tools.entries()) {
    const share = room.left / (tools.length - at);
    const head = toolHead(each, isIdempotent);
    const inputSchema = argumentsSchema(each, describer);
    const tool = fitting(
      [
        { ...head, inputSchema },
        ...reduced(inputSchema).map((less) => ({ ...head, ...shortened(head), inputSchema: less })),
      ],
      share,
    );
    if (tool !== null) {
      room.take(tool);
      described.push(tool);
    }
    yield;
  }
  const definitions = yield* describeTypes(describer, room);
  return { tools: described, ...definitions };
}

const shortened = ({ description }: { readonly description: string }) => ({
  description: description.slice(0, DESCRIPTION_CHARS),
});

/**
 * Describes one type of the arguments of a tool, and the types of its members; null: it has no such
 * type.
 */
export function* describeType(
  { described }: DescribedTool,
  name: string,
  schema: GraphQLSchema,
  bytesMax: number,
): Steps<Omit<ToolParts, 'tools'> | null> {
  const searched = inputDescriber(schema);
  searched.arguments(described);
  for (let level = searched.takeReferred(); level.length > 0; level = searched.takeReferred()) {
    for (const referred of level) {
      if (referred.type.name === name) {
        const room = new Room(bytesMax - FRAME_BYTES);
        return yield* describeTypes(inputDescriber(schema), room, [referred]);
      }
      searched.component(referred);
      yield;
    }
  }
  return null;
}

/** The types that were referred to, from the outside in, as far as there is room. */
function* describeTypes(
  describer: ReturnType<typeof inputDescriber>,
  room: Room,
  first: readonly namedOperations.ReferredType[] = describer.takeReferred(),
): Steps<Omit<ToolParts, 'tools'>> {
  const definitions = new Map<string, namedOperations.JsonSchema>();
  const leftOut: string[] = [];
  for (let level = first; level.length > 0; level = describer.takeReferred()) {
    for (const referred of level) {
      const { name } = referred.type;
      if (definitions.has(name)) continue;
      const whole = describer.component(referred);
      const part = fitting([whole, ...reduced(whole)], room.left);
      if (part === null) {
        leftOut.push(name);
      } else {
        room.take({ [name]: part });
        definitions.set(name, part);
      }
      yield;
    }
  }
  return {
    ...(definitions.size === 0 ? {} : { $defs: Object.fromEntries(definitions) }),
    ...(leftOut.length === 0 ? {} : { leftOut: leftOut.slice(0, LEFT_OUT_MAX), note: NOTE }),
  };
}

const NOTE =
  'There was no room for the types in `leftOut`: search_tools describes one ' +
  'with `tool` and `type`.';

/** Bytes that are left for parts, each of which is written as JSON and as text. */
class Room {
  left: number;

  constructor(bytes: number) {
    this.left = bytes;
  }

  take(part: object): void {
    this.left -= bytesOf(JSON.stringify(part));
  }
}

/** The first of the forms for which there is room; null for none. */
const fitting = <T extends object>(forms: readonly T[], room: number): T | null =>
  forms.find((form) => bytesOf(JSON.stringify(form)) <= room) ?? null;

/**
 * Shorter forms of the schema of an object: without descriptions, then with the names of its
 * members alone.
 */
function reduced(schema: namedOperations.JsonSchema): readonly namedOperations.JsonSchema[] {
  const { properties, description: _, ...object } = schema;
  if (!isRecord(properties)) return [];
  const mapped = (
    as: (each: namedOperations.JsonSchema) => namedOperations.JsonSchema,
  ): namedOperations.JsonSchema => ({
    ...object,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, each]) => [name, isRecord(each) ? as(each) : {}]),
    ),
  });
  return [mapped(({ description: _, ...rest }) => rest), mapped(() => ({}))];
}
