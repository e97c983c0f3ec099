import {
  GraphQLBoolean,
  type GraphQLFieldConfig,
  type GraphQLInputObjectType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
} from 'graphql';
import type { requestPlans } from '../../../codec/index.js';
import {
  type BodyPart,
  type ComplexType,
  childrenOfBody,
  type ElementDeclaration,
  type Operation,
  type SeveralParts,
  type SimpleType,
  typeKey,
} from '../../../wsdl/index.js';
import { addressExtensions } from '../downloads/url-directive.js';
import {
  type BlockMappings,
  blockFor,
  declaredMapping,
  isTemplate,
  merged,
  NO_BLOCKS,
} from '../input/block-mapping.js';
import { blockPlan } from '../input/block-plan.js';
import { inputConfigs } from '../input/input-field.js';
import { type InputMappings, NO_MAPPINGS, refuseUnknown } from '../input/input-mapping.js';
import type { InputField } from '../input/shown-input.js';
import type { Answer } from '../output/faults.js';
import { type OutputField, outputConfigs } from '../output/output-field.js';
import { joinedExtensions } from '../rights/extensions.js';
import {
  bothRules,
  describedWith,
  type FieldRule,
  ruleExtensions,
  withoutMasks,
} from '../rights/field-rule.js';
import { anyOutput, ruleWithinAny } from '../types/any-value.js';
import { childOrder } from '../types/child-order.js';
import { contentOf, wrappedItem } from '../types/content.js';
import { costExtensions } from '../types/cost-rules.js';
import { deprecationIn, descriptionOf } from '../types/description.js';
import { type ElementMember, elementMember } from '../types/member.js';
import { rulesWithin } from '../types/member-rules.js';
import { fieldName, NameScope, type Naming } from '../types/naming.js';
import { hasReferences, reach } from '../types/reach.js';
import type { ElementShape, FieldShape, ReplyRoot, ReplyShape } from '../types/shape.js';
import { SDL_URI } from '../types/xsd-type.js';
import { attachmentArguments, withAttachments } from './attachment-fields.js';
import type { BoundField } from './bound-field.js';
import type { OperationMapping } from './exposure.js';
import type { ServiceTypes } from './field-types.js';
import { type ReplyBlock, withReplyHeaders } from './reply-headers.js';

interface OperationField extends Pick<BoundField, 'requestPlan' | 'reply' | 'headersArgument'> {
  readonly config: GraphQLFieldConfig<unknown, unknown>;
}

/**
 * One operation as a field of Query or Mutation (`blocks` are the header blocks of its service,
 * `selectable` those of its replies), with its plan for requests and what replies look like.
 * `called` is the rule of the operation itself, named after its service: `types` may be those of
 * another service of the same WSDL.
 */
export function operationField(
  operation: Operation,
  mapping: OperationMapping | null,
  types: ServiceTypes,
  blocks: BlockMappings = NO_BLOCKS,
  selectable: readonly ReplyBlock[] = [],
  called: FieldRule | null = null,
): OperationField {
  const headers = headerFields(operation, mapping?.request?.headers ?? NO_BLOCKS, blocks, types);
  const request = requestOf(operation, mapping?.request?.arguments ?? NO_MAPPINGS, types);
  const answered = withAttachments(operation, replyOf(operation, types), types);
  const answer = withReplyHeaders(operation, selectable, answered, types);
  const reply = types.faults.answer(operation, mapping?.faults ?? 'errors', answer);
  const { root } = answer.shape;
  // An answer that nothing but a forbidden field holds is not asked for.
  const rule = bothRules(
    called,
    withoutMasks((root.kind === 'unwrap' ? root.field.rule : null) ?? null),
  );
  const fields = new Map(request.fields);
  const attachments = attachmentArguments(operation.input, fields, types);
  let headersArgument: string | null = null;
  if (headers.type !== null) {
    headersArgument = new NameScope(fields.keys()).take('headers', 'soapHeaders');
    fields.set(headersArgument, {
      type: headers.type,
      description: 'Blocks for the Header of the message.',
    });
  }
  return {
    config: {
      type: reply.type,
      description: describedWith(
        mapping?.description ?? descriptionOf(operation.documentation),
        rule,
      ),
      deprecationReason: mapping?.deprecated ?? deprecationIn(operation.documentation),
      args: fields.size === 0 ? {} : inputConfigs(fields),
      extensions: joinedExtensions(
        costExtensions(mapping?.cost ?? null),
        ruleExtensions(rule, ruleWithinAnswer(root)),
        addressExtensions(root.kind === 'unwrap' ? root.field : null),
      ),
    },
    requestPlan: {
      body: request.body,
      headers: headers.plans,
      ...(headers.blocks.length === 0 ? {} : { blocks: headers.blocks }),
      ...(attachments.length === 0 ? {} : { attachments }),
      encoded: operation.use === 'encoded',
    },
    reply: mayRefer(operation, types) ? { ...reply.shape, hasReferences: true } : reply.shape,
    headersArgument,
  };
}

/** The rules within an answer that is a value of any type; null for others. */
function ruleWithinAnswer(root: ReplyRoot): FieldRule | null {
  if (root.kind === 'whole') return ruleWithinAny({ kind: 'object', shape: root.shape });
  return root.kind === 'unwrap' ? ruleWithinAny(root.field.value) : null;
}

/** Whether elements of the reply may stand for others. Most services have no such type. */
function mayRefer(
  { output, use }: Operation,
  { hasReferences: isPossible, members }: ServiceTypes,
): boolean {
  if (!isPossible || output === null || use === 'encoded') return false;
  const roots = childrenOfBody(output).map(({ type }) => type);
  return hasReferences(reach(roots, members).types);
}

interface Request {
  readonly fields: ReadonlyMap<string, InputField>;
  readonly body: requestPlans.RequestPlan['body'];
}

function requestOf(operation: Operation, mappings: InputMappings, types: ServiceTypes): Request {
  const { body, several } = operation.input;
  if (several !== undefined) {
    return severalArguments(several, types.names.ofOperation(operation), mappings, types);
  }
  if (body === null) {
    refuseUnknown(mappings, [], types);
    return { fields: new Map(), body: null };
  }
  const { type, name } = body;
  if (type.kind === 'complex') {
    const owner =
      mappings.size > 0
        ? types.names.ofOperation(operation)
        : (type.name?.local ?? types.names.pascal(name.local));
    const { fields, plan } = types.input.structure(type, owner, mappings);
    return { fields, body: { name, value: plan } };
  }
  refuseUnknown(mappings, [], types);
  const key = fieldName(name.local, types.names.naming);
  const { type: leafType, scalar } = types.input.simple(type, types.names.pascal(name.local));
  return {
    fields: new Map([
      [key, { type: new GraphQLNonNull(leafType), description: body.documentation }],
    ]),
    body: {
      name,
      value: { kind: 'object', attributes: [], text: { key, scalar }, children: [], choices: [] },
    },
  };
}

interface Headers {
  readonly type: GraphQLInputObjectType | null;
  readonly plans: readonly requestPlans.EncodeElement[];
  readonly blocks: readonly requestPlans.BlockPlan[];
}

/** A declaration has no mark for an optional header block, so none is required of the caller. */
function headerFields(
  operation: Operation,
  own: BlockMappings,
  common: BlockMappings,
  types: ServiceTypes,
): Headers {
  const scope = new NameScope();
  const fields = new Map<string, InputField>();
  const plans: requestPlans.EncodeElement[] = [];
  const blocks: requestPlans.BlockPlan[] = [];
  const declared = new Set<string>();
  const owner = types.names.ofOperation(operation);
  for (const { element } of operation.input.headers) {
    const { uri, local } = element.name;
    for (const key of [local, `{${uri}}${local}`]) {
      declared.add(key);
    }
    const name = scope.take(fieldName(local, types.names.naming));
    const mapping = blockFor(element.name, own, common);
    if (mapping !== null && (mapping.content === null || isTemplate(mapping.content))) {
      const plan = blockPlan(mapping, element.name, types);
      if (plan !== null) {
        blocks.push(plan);
      }
      continue;
    }
    const inner = mapping === null ? NO_MAPPINGS : declaredMapping(local, mapping.content);
    const made = types.input.element(elementMember(element, name), '', inner, owner);
    if (made === null) continue;
    plans.push(made.plan);
    if (made.field !== null) {
      fields.set(name, made.field);
    }
  }
  for (const key of new Set([...common.keys(), ...own.keys()])) {
    const mapping = declared.has(key)
      ? null
      : merged(own.get(key) ?? null, common.get(key) ?? null);
    if (mapping === null) continue;
    const { name, content, path } = mapping;
    if (name.uri === null) {
      refuseUndeclared(key, path, operation, types);
    }
    const plan =
      name.uri === null || content === null
        ? null
        : blockPlan(mapping, { ...name, uri: name.uri }, types);
    if (plan !== null) {
      blocks.push(plan);
    }
  }
  if (fields.size === 0) return { type: null, plans, blocks };
  return {
    type: types.headers.of(operation, fields, (type) => types.input.made.push(type)),
    plans,
    blocks,
  };
}

/** A block without a namespace can only be one that the WSDL declares. */
function refuseUndeclared(
  written: string,
  path: readonly string[],
  operation: Operation,
  types: ServiceTypes,
): void {
  const among = operation.input.headers.map(({ element }) => element.name.local);
  const what = `The WSDL declares no header block \`${written}\`.`;
  const remedy = 'Write `{namespace}Name` for a block that it does not declare.';
  types.names.refuse(path, what, remedy, among, written);
}

/**
 * A field is nullable whatever its type is, so that one failed call does not take the others with
 * it.
 */
function replyOf(operation: Operation, types: ServiceTypes): Answer {
  const body = operation.output?.body ?? null;
  if (body === null) return done({ uri: null, local: `${operation.name}Response` });
  const element = body.name;
  const of = (type: GraphQLOutputType, root: ReplyRoot): Answer => ({
    type,
    shape: { element, root, nonNull: false },
  });
  const several = operation.output?.several;
  if (several !== undefined) {
    const { type, shape } = severalResult(several, types.names.ofOperation(operation), types);
    return of(type, { kind: 'whole', shape });
  }
  if (body.type.kind === 'simple') {
    const leaf = types.leaves.of(body.type, types.names.pascal(body.name.local), types.names);
    return of(leaf.type, { kind: 'unwrap', field: textField(body.type, types, body) });
  }
  const content = contentOf(body.type, types.members);
  if (content === 'empty') return done(element);
  const anyTypes = types.members.anyTypesOf(body.type);
  if (anyTypes !== null) {
    const { type, value } = anyOutput(anyTypes, types.leaves);
    return of(type, { kind: 'whole', shape: value.shape });
  }
  if (content === 'opaque') {
    const rule = rulesWithin([body.type], types.members);
    const shape: FieldShape = { ...PLAIN, source: { from: 'self' }, value: { kind: 'opaque' } };
    const field = rule === null ? shape : { ...shape, nonNull: false, rule };
    return of(types.leaves.xml, { kind: 'unwrap', field });
  }
  const { present: held, wildcard, mixed } = types.members.of(body.type);
  const present = held.filter((each) => each.kind !== 'element' || each.isEmptied !== true);
  const [only, ...others] = present;
  const isOnly = others.length === 0 && !wildcard && mixed === null;
  const isList = wrappedItem(body.type, types.members) !== null;
  if (only?.kind === 'element' && isOnly && (isList || isWrapper(operation, body, body.type))) {
    const { type, shape } = types.output.field(only, types.names.ofOperation(operation));
    return of(type, { kind: 'unwrap', field: shape });
  }
  const { type, shape } = types.output.structure(body.type, resultName(operation, body, types));
  return of(type, { kind: 'whole', shape });
}

const done = (element: ReplyShape['element']): Answer => ({
  type: new GraphQLNonNull(GraphQLBoolean),
  shape: { element, root: { kind: 'done' }, nonNull: true },
});

const PLAIN = { list: false, nonNull: true, itemNonNull: false } as const;

function textField(type: SimpleType, types: ServiceTypes, body: ElementDeclaration): FieldShape {
  const { scalar } = types.leaves.of(type, types.names.pascal(body.name.local), types.names);
  return {
    ...PLAIN,
    nonNull: !body.nillable,
    source: { from: 'text' },
    value: { kind: 'scalar', scalar },
  };
}

/**
 * Whether an element only wraps the results: its type has no name, or both are named after the
 * operation.
 */
function isWrapper(operation: Operation, body: ElementDeclaration, type: ComplexType): boolean {
  if (type.name === null) return true;
  if (type.derived.length > 0 || type.name.uri === SDL_URI) return false;
  const local = type.name.local.toLowerCase();
  const element = body.name.local.toLowerCase();
  if (element.startsWith(operation.name.toLowerCase()) && local.startsWith(element)) return true;
  return /response(type)?$/.test(local);
}

/** A type with a name keeps it; that of a wrapper is named after the operation. */
function resultName(
  operation: Operation,
  body: ElementDeclaration,
  { names }: ServiceTypes,
): string {
  return body.type.name === null ? `${names.ofOperation(operation)}Result` : body.name.local;
}

/** One argument for each part, under its name; the mapping calls them so too. */
function severalArguments(
  { parts }: SeveralParts,
  owner: string,
  mappings: InputMappings,
  types: ServiceTypes,
): {
  readonly fields: ReadonlyMap<string, InputField>;
  readonly body: requestPlans.RequestPlan['body'];
} {
  const known = parts.map(({ name }) => name);
  refuseUnknown(mappings, known, types);
  const fields = new Map<string, InputField>();
  const children: requestPlans.EncodeElement[] = [];
  for (const { part, member } of membersOf(parts, types.names.naming)) {
    const mapping = mappings.get(part.name);
    const own = mapping === undefined ? NO_MAPPINGS : new Map([[part.element.name.local, mapping]]);
    const made = types.input.element(member, '', own, owner);
    if (made === null) continue;
    children.push(made.plan);
    if (made.field !== null) {
      fields.set(made.plan.key, made.field);
    }
  }
  return {
    fields,
    body: {
      name: null,
      value: { kind: 'object', attributes: [], text: null, children, choices: [] },
    },
  };
}

/** An object with one field for each part, under its name. */
function severalResult(
  { parts, whole }: SeveralParts,
  owner: string,
  types: ServiceTypes,
): { readonly type: GraphQLObjectType; readonly shape: ElementShape } {
  const fields = new Map<string, OutputField>();
  const turns = new Map<string, number>();
  for (const { part, member } of membersOf(parts, types.names.naming)) {
    const key = typeKey(part.element.name);
    const turn = turns.get(key) ?? 0;
    turns.set(key, turn + 1);
    const field = types.output.field(member, '');
    const isAlone = parts.every((other) => other === part || typeKey(other.element.name) !== key);
    fields.set(member.name, isAlone ? field : { ...field, shape: inTurn(field.shape, turn) });
  }
  const typeName = types.names.take(`${owner}Result`);
  const type = new GraphQLObjectType({ name: typeName, fields: outputConfigs(fields) });
  types.answers.push(type);
  const shapes = new Map([...fields].map(([name, { shape }]) => [name, shape]));
  const order = whole.type.kind === 'complex' ? childOrder(whole.type) : null;
  const declared = { typeName, conditions: new Set([typeName]), fields: shapes, order };
  return { type, shape: { declared, variants: new Map() } };
}

function membersOf(
  parts: readonly BodyPart[],
  naming: Naming,
): readonly { readonly part: BodyPart; readonly member: ElementMember }[] {
  const scope = new NameScope();
  return parts.map((part) => {
    const name = scope.take(fieldName(part.name, naming));
    return { part, member: { ...elementMember(part.element, name), required: true } };
  });
}

/** Several parts may be the same element: their order distinguishes them. */
function inTurn(shape: FieldShape, turn: number): FieldShape {
  const { source } = shape;
  if (source.from !== 'child' && source.from !== 'wrapped list') return shape;
  return { ...shape, source: { ...source, occurrence: turn } };
}
