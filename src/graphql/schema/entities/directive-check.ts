import {
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { type EntryError, type Report, reportInto } from '../feeds/entry-error.js';
import { fieldOfOwner, isFieldOwner } from '../types/field-owner.js';
import type { FederationDirectives, FieldDirectives, TypeDirectives } from './directives.js';
import { pathsOfFieldSet } from './field-set.js';

/** Errors in directives: types, fields and values that the schema does not have. */
export function directiveErrors(
  schema: GraphQLSchema,
  directives: FederationDirectives,
): readonly EntryError[] {
  const errors: EntryError[] = [];
  for (const [name, { fields }] of directives) {
    const report = reportInto(errors, name);
    const type = schema.getType(name);
    if (type === undefined || name.startsWith('__')) {
      const known = Object.keys(schema.getTypeMap()).filter((each) => !each.startsWith('__'));
      report([], `There is no type \`${name}\`.`, null, { name, known }, 'key');
      continue;
    }
    checkKind(type, directives.get(name), report);
    const parts = partsOf(type);
    for (const [field, mapped] of fields) {
      if (!parts.includes(field)) {
        // One with a type of its own was refused already.
        if (isFieldOwner(type) && mapped.type !== null) continue;
        const unknown = { name: field, known: parts };
        const what = `\`${name}\` has no field or value \`${field}\`.`;
        report(['fields', field], what, null, unknown, 'key');
        continue;
      }
      if (mapped.type !== null && !mapped.external) {
        const what = `\`${name}.${field}\` has a type here, and other subgraphs answer it.`;
        report(['fields', field, 'type'], what, 'Write `external: true` with it.');
      }
      checkFieldKind(type, field, mapped, report);
      checkSelections(type, field, mapped, report);
      checkRequired(type, field, mapped, directives, report);
    }
  }
  return errors;
}

/** Reports directives of objects where the type is none: a composition refuses them. */
function checkKind(
  type: GraphQLNamedType,
  mapped: TypeDirectives | undefined,
  report: Report,
): void {
  if (mapped === undefined || isObjectType(type)) return;
  for (const key of ['shareable', 'interfaceObject'] as const) {
    if (!mapped[key]) continue;
    report([key], `\`${key}\` is for object types, and \`${type.name}\` is none.`, 'Remove it.');
  }
}

/** Directives of fields of objects; `external` is taken for those of interfaces too. */
const OF_FIELDS = ['shareable', 'override', 'requires', 'provides'] as const;

/** Reports directives that a field, a field of an input or a value cannot have. */
function checkFieldKind(
  type: GraphQLNamedType,
  field: string,
  mapped: FieldDirectives,
  report: Report,
): void {
  const { external, override } = mapped;
  const at = (key: string): readonly string[] => ['fields', field, key];
  if (external && override !== null) {
    const what = `\`${type.name}.${field}\` is external, and taken from another subgraph.`;
    report(at('override'), what, 'Remove one of both.');
  }
  if (isObjectType(type)) return;
  const ofObjects = isInterfaceType(type) ? OF_FIELDS : ([...OF_FIELDS, 'external'] as const);
  for (const key of ofObjects) {
    if (mapped[key] === null || mapped[key] === false) continue;
    report(at(key), `\`${key}\` is for fields of object types.`, 'Remove it.');
  }
}

/** The names of the fields of a type, or of the values of an enumeration. */
function partsOf(type: GraphQLNamedType): readonly string[] {
  if (isEnumType(type)) return type.getValues().map(({ name }) => name);
  return isFieldOwner(type) || isInputObjectType(type) ? Object.keys(type.getFields()) : [];
}

function checkSelections(
  type: GraphQLNamedType,
  field: string,
  { requires, provides }: FieldDirectives,
  report: Report,
): void {
  const answer = fieldOfOwner(type, field)?.type;
  const given = [
    { key: 'requires', text: requires, owner: type },
    { key: 'provides', text: provides, owner: answer === undefined ? null : getNamedType(answer) },
  ];
  for (const { key, text, owner } of given) {
    if (text === null) continue;
    const at = ['fields', field, key];
    const paths = pathsOfFieldSet(text);
    if (paths === null) {
      report(at, `\`${text}\` is no selection of fields.`, 'Write `weight price { amount }`.');
    }
    for (const path of paths ?? []) {
      if (leadsToValue(owner, path)) continue;
      const what = `\`${path.join('.')}\` leads to no value of \`${owner?.name ?? field}\`.`;
      report(at, what, 'Name fields of the type, down to values.');
    }
  }
}

/** Reports required fields that no other subgraph has: a composition refuses them. */
function checkRequired(
  type: GraphQLNamedType,
  field: string,
  { requires }: FieldDirectives,
  directives: FederationDirectives,
  report: Report,
): void {
  for (const path of pathsOfFieldSet(requires ?? '') ?? []) {
    if (isExternalAlong(type, path, directives)) continue;
    const written = path.join('.');
    const what = `\`${written}\` is required of other subgraphs, and is a field of this one.`;
    const remedy = `Mark \`${path[0] ?? ''}\` of \`${type.name}\` as \`external\`.`;
    report(['fields', field, 'requires'], what, remedy);
  }
}

/** Whether a field of a path, or one above it, is that of other subgraphs. */
function isExternalAlong(
  from: GraphQLNamedType,
  path: readonly string[],
  directives: FederationDirectives,
): boolean {
  let type: GraphQLNamedType | null = from;
  for (const step of path) {
    if (type === null) return false;
    if (directives.get(type.name)?.fields.get(step)?.external === true) return true;
    const field = fieldOfOwner(type, step);
    type = field === undefined ? null : getNamedType(field.type);
  }
  return false;
}

/** Whether a path leads to a value without fields, through lists. */
function leadsToValue(from: GraphQLNamedType | null, path: readonly string[]): boolean {
  let type = from;
  for (const step of path) {
    const field = fieldOfOwner(type, step);
    if (field === undefined) return false;
    type = getNamedType(field.type);
  }
  return type !== null && !isFieldOwner(type);
}
