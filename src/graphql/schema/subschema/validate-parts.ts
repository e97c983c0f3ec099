import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isRequiredArgument,
  isRequiredInputField,
  isUnionType,
  validateSchema,
} from 'graphql';
import type { Subschema } from '../fields/subschema.js';
import { isFieldOwner } from '../types/field-owner.js';
import { type MappingFinding, mappingFinding } from '../types/mapping.js';
import { isRoot, ROOTS, rootOf } from '../types/roots.js';
import type { PropagatedParts } from './propagated-parts.js';
import { fieldsOf, hasPart, isBuiltIn, partName, schemaType } from './schema-parts.js';

/**
 * Finds errors in `rename` and `hide`: unknown names, and entries that would make the schema
 * invalid.
 */
export function validateParts(
  service: Subschema,
  parts: PropagatedParts,
): readonly MappingFinding[] {
  const { renames, hidden } = service;
  const names = [
    ...[...renames.keys()].map((name) => missing(service, name, ['rename', name])),
    ...hidden.map((name, at) => missing(service, name, ['hide', at])),
  ].flatMap((finding) => finding ?? []);
  const types = Object.values(service.schema.getTypeMap()).filter(
    (type) => !isBuiltIn(type) && !parts.hidden.has(type.name),
  );
  return [
    ...names,
    ...types.flatMap((type) => [...emptied(service, type, parts), ...needed(service, type, parts)]),
    ...types.flatMap((type) => renamedTwice(service, type, parts)),
    ...disagreeing(service, parts),
  ];
}

/** Finds the remaining errors of the renamed schema. */
export function validateRenamedSchema(
  { name: service, hidden }: Subschema,
  schema: GraphQLSchema,
): readonly MappingFinding[] {
  const errors = validateSchema(schema);
  if (errors.length === 0) return [];
  const what = `With \`rename\` and \`hide\` its schema is not valid: ${errors
    .slice(0, ERRORS_SHOWN)
    .map(({ message }) => message)
    .join(' ')}`;
  return [mappingFinding(service, [hidden.length > 0 ? 'hide' : 'rename'], what)];
}

const ERRORS_SHOWN = 5;

/** The error of an entry for an unknown part, or one that cannot be renamed or hidden. */
function missing(
  { name: service, schema }: Subschema,
  name: string,
  path: MappingFinding['path'],
): MappingFinding | null {
  if (hasPart(schema, name)) return null;
  const [typeName = '', field] = name.split('.');
  const type = schemaType(schema, typeName);
  const root = type === undefined ? undefined : ROOTS.find((each) => rootOf(schema, each) === type);
  if (field === undefined && root !== undefined) {
    const what = `\`${name}\` is where requests begin: it cannot be hidden or renamed.`;
    const remedy = `Name its fields: ${root}.${Object.keys(fieldsOf(type) ?? {})[0]}.`;
    return mappingFinding(service, path, what, remedy);
  }
  if (type !== undefined && isBuiltIn(type)) {
    const what = `\`${typeName}\` belongs to GraphQL itself: it cannot be hidden or renamed.`;
    return mappingFinding(service, path, what);
  }
  const types = Object.values(schema.getTypeMap()).filter((each) => !isBuiltIn(each));
  const owner = fieldsOf(type);
  const among =
    field === undefined
      ? types.filter((each) => !isRoot(schema, each)).map((each) => each.name)
      : owner === null
        ? types.map((each) => `${partName(schema, each)}.${field}`)
        : Object.keys(owner).map((each) => `${typeName}.${each}`);
  return mappingFinding(service, path, `The service has no \`${name}\`.`, null, among, name);
}

/** Finds a type without visible fields. A root without fields is removed, except Query. */
function emptied(
  { name: service, schema }: Subschema,
  type: GraphQLNamedType,
  parts: PropagatedParts,
): MappingFinding[] {
  const name = partName(schema, type);
  if (name === 'Mutation' || name === 'Subscription') return [];
  const fields = fieldsOf(type);
  const members = isUnionType(type) ? type.getTypes().map((member) => member.name) : [];
  const all = fields === null ? members : Object.keys(fields).map((field) => `${name}.${field}`);
  const hides = (fields === null ? members : Object.keys(fields)).map((each) =>
    hiddenBy(name, each, type, parts),
  );
  if (all.length === 0 || hides.includes(null)) return [];
  const what =
    `Nothing is left of \`${name}\`: a type without ${fields === null ? 'members' : 'fields'} ` +
    'cannot be.';
  const remedy =
    name === 'Query' ? 'Leave one of its fields.' : `Hide \`${name}\` too, or leave a part of it.`;
  return [mappingFinding(service, ['hide', hides.at(-1) ?? 0], what, remedy)];
}

/** The entry that hides a field, or a member of a union; null for a visible one. */
function hiddenBy(
  owner: string,
  part: string,
  type: GraphQLNamedType,
  { hidden }: PropagatedParts,
): number | null {
  const field = fieldsOf(type)?.[part];
  if (field === undefined) return hidden.get(part) ?? null;
  return hidden.get(`${owner}.${part}`) ?? hidden.get(getNamedType(field.type).name) ?? null;
}

/** Finds required inputs that clients could not provide. */
function needed(
  { name: service, schema }: Subschema,
  type: GraphQLNamedType,
  parts: PropagatedParts,
): MappingFinding[] {
  const findings: MappingFinding[] = [];
  const owner = partName(schema, type);
  const report = (at: number, what: string, remedy: string): unknown =>
    findings.push(mappingFinding(service, ['hide', at], what, remedy));
  const ofType = ({ type }: GraphQLArgument | GraphQLInputField): number | null =>
    parts.hidden.get(getNamedType(type).name) ?? null;
  if (isInputObjectType(type)) {
    for (const field of Object.values(type.getFields())) {
      if (!isRequiredInputField(field)) continue;
      const at = parts.hidden.get(`${owner}.${field.name}`) ?? ofType(field);
      const what = `\`${owner}.${field.name}\` must be provided: hidden it could not be.`;
      if (at !== null) {
        report(at, what, `Hide \`${owner}\` too, or leave it.`);
      }
    }
  } else if (isFieldOwner(type)) {
    for (const field of Object.values(type.getFields())) {
      if (hiddenBy(owner, field.name, type, parts) !== null) continue;
      for (const argument of field.args) {
        const at = isRequiredArgument(argument) ? ofType(argument) : null;
        const what =
          `\`${owner}.${field.name}\` requires \`${argument.name}\`: with its type hidden it ` +
          'could not be provided.';
        if (at !== null) {
          report(
            at,
            what,
            `Hide \`${owner}.${field.name}\` too, or leave ` +
              `\`${getNamedType(argument.type).name}\`.`,
          );
        }
      }
    }
  }
  return findings;
}

/** Finds two fields of one type that would have one name. */
function renamedTwice(
  { name: service, schema }: Subschema,
  type: GraphQLNamedType,
  parts: PropagatedParts,
): MappingFinding[] {
  const fields = fieldsOf(type);
  if (fields === null || isRoot(schema, type)) return [];
  const findings: MappingFinding[] = [];
  const first = new Map<string, string>();
  for (const field of Object.keys(fields)) {
    if (hiddenBy(type.name, field, type, parts) !== null) continue;
    const rename = parts.fields.get(`${type.name}.${field}`);
    const name = rename?.name ?? field;
    const other = first.get(name);
    if (other === undefined) {
      first.set(name, field);
      continue;
    }
    const entry = rename?.entry ?? parts.fields.get(`${type.name}.${other}`)?.entry;
    if (entry === undefined) continue;
    const what =
      `\`${type.name}.${other}\` and \`${type.name}.` + `${field}\` would both be \`${name}\`.`;
    findings.push(
      mappingFinding(service, ['rename', entry], what, 'Give each a name of its own, or hide one.'),
    );
  }
  return findings;
}

/** Finds a field that would have another name in an interface than in its types. */
function disagreeing(
  { name: service, schema }: Subschema,
  { fields }: PropagatedParts,
): MappingFinding[] {
  const findings: MappingFinding[] = [];
  for (const [part, { name, entry }] of fields) {
    const [typeName = '', field = ''] = part.split('.');
    const type = schema.getType(typeName);
    for (const each of isFieldOwner(type) ? type.getInterfaces() : []) {
      const above = fields.get(`${each.name}.${field}`);
      if (above === undefined || above.name === name) continue;
      const what =
        `\`${part}\` is \`${each.name}.${field}\`, which is renamed to \`${above.name}\`: ` +
        `it cannot be \`${name}\`.`;
      findings.push(
        mappingFinding(
          service,
          ['rename', entry],
          what,
          'Give both one name; one entry is enough.',
        ),
      );
    }
  }
  return findings;
}
