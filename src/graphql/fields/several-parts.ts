import { type GraphQLNamedType, GraphQLObjectType } from 'graphql';
import type { EncodeElement } from '../../codec/plan/plan.js';
import type { RequestPlan } from '../../codec/plan/request-plan.js';
import { type BodyPart, type SeveralParts, typeKey } from '../../wsdl/model.js';
import type { InputTypes } from '../input/input.js';
import type { InputField } from '../input/input-field.js';
import { type InputMappings, NO_MAPPINGS, refuseUnknown } from '../input/input-mapping.js';
import type { OutputTypes } from '../output/output.js';
import { configs, type OutputField } from '../output/output-field.js';
import { childOrder } from '../types/child-order.js';
import { type ElementMember, elementMember } from '../types/member.js';
import { fieldName, NameScope, type Naming } from '../types/naming.js';
import type { ElementShape, FieldShape } from '../types/shape.js';
import type { TypeNames } from '../types/type-names.js';

interface PartTypes {
  readonly service: string;
  readonly naming: Naming;
  readonly names: TypeNames;
  readonly input: InputTypes;
  readonly output: OutputTypes;
  /** Types of answers that were made here. */
  readonly answers: GraphQLNamedType[];
}

/** One argument for each part, under its name; the mapping calls them so too. */
export function severalArguments(
  { parts }: SeveralParts,
  owner: string,
  mappings: InputMappings,
  types: PartTypes,
): { readonly fields: ReadonlyMap<string, InputField>; readonly body: RequestPlan['body'] } {
  const known = parts.map(({ name }) => name);
  refuseUnknown(mappings, known, types);
  const fields = new Map<string, InputField>();
  const children: EncodeElement[] = [];
  for (const { part, member } of membersOf(parts, types.naming)) {
    const mapping = mappings.get(part.name);
    const own = mapping === undefined ? NO_MAPPINGS : new Map([[part.element.name.local, mapping]]);
    const made = types.input.element(member, '', own, owner);
    if (made === null) continue;
    children.push(made.plan);
    if (made.field !== null) fields.set(made.plan.key, made.field);
  }
  return { fields, body: { name: null, value: { kind: 'object', attributes: [], text: null, children, choices: [] } } };
}

/** An object with one field for each part, under its name. */
export function severalResult(
  { parts, whole }: SeveralParts,
  owner: string,
  types: PartTypes,
): { readonly type: GraphQLObjectType; readonly shape: ElementShape } {
  const fields = new Map<string, OutputField>();
  const turns = new Map<string, number>();
  for (const { part, member } of membersOf(parts, types.naming)) {
    const key = typeKey(part.element.name);
    const turn = turns.get(key) ?? 0;
    turns.set(key, turn + 1);
    const field = types.output.field(member, '');
    const isAlone = parts.every((other) => other === part || typeKey(other.element.name) !== key);
    fields.set(member.name, isAlone ? field : { ...field, shape: inTurn(field.shape, turn) });
  }
  const typeName = types.names.take(`${owner}Result`, types.service);
  const type = new GraphQLObjectType({ name: typeName, fields: configs(fields) });
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
