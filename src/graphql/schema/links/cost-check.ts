import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
} from 'graphql';
import type { Steps } from '../../../core/index.js';
import { type FieldCost, fieldCostOf } from '../types/cost-rules.js';
import { fieldOfOwner, isFieldOwner } from '../types/field-owner.js';
import { type MappingFinding, mappingFinding } from '../types/mapping.js';
import type { LinkTable } from './link.js';

/**
 * Finds sizes and weights of the mapping for unknown fields and arguments, which would have no
 * effect.
 */
export function* costFindings(
  schema: GraphQLSchema,
  links: LinkTable,
): Steps<readonly MappingFinding[]> {
  const findings: MappingFinding[] = [];
  const seen = new Set<FieldCost>();
  for (const type of Object.values(schema.getTypeMap())) {
    yield;
    if (!isFieldOwner(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const cost = fieldCostOf(field);
      // A link has the cost of its operation, which is checked there.
      if (cost === null || seen.has(cost) || links.has(`${type.name}.${field.name}`)) continue;
      seen.add(cost);
      findings.push(...fieldFindings(field, cost));
    }
  }
  return findings;
}

function fieldFindings(
  field: GraphQLField<unknown, unknown>,
  cost: FieldCost,
): readonly MappingFinding[] {
  const { origin, listSize } = cost;
  if (origin === null || origin.service === null) return [];
  const findings: MappingFinding[] = [];
  const { service, path } = origin;
  // The key of a schema, in a file or in the configuration.
  const isSdl = path[0] === 'types' || path.length === 1;
  const report = (
    key: string,
    what: string,
    among: readonly string[] = [],
    written?: string,
  ): unknown =>
    findings.push(
      mappingFinding(service, isSdl ? path : [...path, key], what, null, among, written),
    );
  const names = field.args.map(({ name }) => name);
  for (const argumentPath of [...(listSize?.slicingArguments ?? []), ...cost.arguments.keys()]) {
    const key =
      listSize?.slicingArguments.includes(argumentPath) === true ? 'listSize' : 'argumentCosts';
    const [name = '', ...rest] = argumentPath.split('.');
    const argument = field.args.find((each) => each.name === name);
    if (argument === undefined) {
      report(key, `\`${field.name}\` has no argument \`${name}\`.`, names, name);
    } else {
      const found = inputAlong(argument.type, rest);
      if (found === null) {
        report(key, `\`${argumentPath}\` leads to nothing in the arguments of \`${field.name}\`.`);
      } else if (key === 'listSize' && !NUMBERS.has(found)) {
        report(key, `\`${argumentPath}\` is no number of items.`);
      }
    }
  }
  if (listSize === null) return findings;
  if (listSize.sizedFields.length === 0 && !isListType(getNullableType(field.type))) {
    report(
      'listSize',
      `\`${field.name}\` is no list: name the fields below it that are, as \`sizedFields\`.`,
    );
  }
  for (const sized of listSize.sizedFields) {
    const found = outputAlong(field.type, sized.split('.'));
    if (found === null || !isListType(getNullableType(found))) {
      report('listSize', `\`${sized}\` leads to no list.`);
    }
  }
  return findings;
}

const NUMBERS: ReadonlySet<string> = new Set([
  'Int',
  'Float',
  'Long',
  'BigInt',
  'Decimal',
  'String',
  'ID',
]);

/** The name of the type at a path in an argument, through lists; null where there is none. */
function inputAlong(from: GraphQLInputType, steps: readonly string[]): string | null {
  let type = getNamedType(from);
  for (const step of steps) {
    const fields = isInputObjectType(type) ? type.getFields() : {};
    const field = Object.hasOwn(fields, step) ? fields[step] : undefined;
    if (field === undefined) return null;
    type = getNamedType(field.type);
  }
  return type.name;
}

/** The type of the field at a path, through lists; null where there is none. */
function outputAlong(from: GraphQLOutputType, steps: readonly string[]): GraphQLOutputType | null {
  let type = from;
  for (const step of steps) {
    const field = fieldOfOwner(getNamedType(type), step);
    if (field === undefined) return null;
    type = field.type;
  }
  return type;
}
