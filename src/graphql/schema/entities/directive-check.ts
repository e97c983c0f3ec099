import {
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
} from 'graphql';
import { type EntryError, type Report, reportInto } from '../feeds/entry-error.js';
import { fieldOfOwner, isFieldOwner } from '../types/field-owner.js';
import type { FederationDirectives, FieldDirectives } from './directives.js';
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
      checkSelections(type, field, mapped, report);
      checkRequired(name, field, mapped, fields, report);
    }
  }
  return errors;
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
  type: string,
  field: string,
  { requires }: FieldDirectives,
  fields: ReadonlyMap<string, FieldDirectives>,
  report: Report,
): void {
  for (const [name = ''] of pathsOfFieldSet(requires ?? '') ?? []) {
    if (fields.get(name)?.external === true) continue;
    const what = `\`${name}\` is required of other subgraphs, and is a field of this one.`;
    const remedy = `Mark \`${name}\` of \`${type}\` as \`external\`.`;
    report(['fields', field, 'requires'], what, remedy);
  }
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
