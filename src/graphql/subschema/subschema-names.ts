import type { Subschema, SubschemaNames } from '../fields/subschema.js';
import type { Finding } from '../types/mapping.js';
import { fieldName, NameScope, pascalName } from '../types/naming.js';
import { ROOTS, type Root, rootOf } from '../types/roots.js';
import type { TypeNames } from '../types/type-names.js';
import { propagatedParts } from './propagated-parts.js';
import { isBuiltIn } from './schema-parts.js';
import { validateParts } from './validate-parts.js';

type Taken = (parent: Root, name: string) => boolean;

/**
 * Names the parts of a subschema, and finds the errors of `rename` and `hide`. `isTaken` answers whether a root type has
 * a field already.
 */
export function subschemaNames(
  service: Subschema,
  names: TypeNames,
  isTaken: Taken,
): { readonly names: SubschemaNames; readonly findings: readonly Finding[] } {
  const { schema } = service;
  const parts = propagatedParts(service);
  const hidden = new Set(parts.hidden.keys());
  const findings = [...validateParts(service, parts)];
  const roots = new Map<string, string>();
  for (const root of ROOTS) {
    const type = rootOf(schema, root);
    if (type !== null) roots.set(type.name, names.take(`${pascalName(service.name, 'camel')}${root}`, service.name));
  }
  const types = typeNames(service, names, { roots, hidden, findings });
  const rootFields = rootFieldNames(service, names, { isTaken, hidden, findings });
  const fields = new Map([...parts.fields].map(([part, { name }]) => [part, name]));
  return { names: { roots, types, rootFields, fields, hidden }, findings };
}

/** The roots whose fields are offered. */
export const offeredRoots = ({ subscribes }: Subschema): readonly Root[] =>
  ROOTS.filter((root) => root !== 'Subscription' || subscribes);

/** A taken name gets the service's name in front, with a warning; a taken name of `rename` is an error. */
function typeNames(
  { name: service, schema, prefix, renames }: Subschema,
  names: TypeNames,
  { roots, hidden, findings }: { roots: ReadonlyMap<string, string>; hidden: ReadonlySet<string>; findings: Finding[] },
): ReadonlyMap<string, string> {
  const own = new Set(Object.keys(schema.getTypeMap()));
  const types = new Map<string, string>();
  const all = Object.values(schema.getTypeMap()).filter(
    (type) => !isBuiltIn(type) && !roots.has(type.name) && !hidden.has(type.name),
  );
  const wantedOf = (name: string): string =>
    renames.get(name) ?? (prefix === null ? name : `${pascalName(prefix, 'camel')}${upperFirst(name)}`);
  const uses = new Uses(all.map(({ name }) => wantedOf(name)));
  for (const { name } of all) {
    const wanted = wantedOf(name);
    let newName = names.take(wanted, service);
    // While types are renamed one by one, a new name must not be one that another type still has.
    while (newName !== name && own.has(newName)) newName = names.take(wanted, service);
    if (newName !== name) types.set(name, newName);
    if (!renames.has(name) || (newName === wanted && !uses.areMany(wanted))) continue;
    const of = own.has(wanted) ? 'the service has a type of that name' : 'that name is taken';
    findings.push(taken(service, name, wanted, of));
  }
  return types;
}

const taken = (service: string, part: string, wanted: string, why: string): Finding => ({
  service,
  path: ['rename', part],
  what: `\`${part}\` cannot be \`${wanted}\`: ${why}.`,
  remedy: 'Give it a name of its own.',
  among: [],
});

/** Counts how often names are wanted. */
class Uses {
  readonly #seen = new Set<string>();
  readonly #many = new Set<string>();

  constructor(names: readonly string[]) {
    for (const name of names) (this.#seen.has(name) ? this.#many : this.#seen).add(name);
  }

  areMany(name: string): boolean {
    return this.#many.has(name);
  }
}

const upperFirst = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** The same for fields of the roots. */
function rootFieldNames(
  subschema: Subschema,
  names: TypeNames,
  { isTaken, hidden, findings }: { isTaken: Taken; hidden: ReadonlySet<string>; findings: Finding[] },
): ReadonlyMap<string, string> {
  const { name: service, schema, prefix, renames } = subschema;
  const rootFields = new Map<string, string>();
  const prefixed = (field: string): string =>
    prefix === null ? field : `${fieldName(prefix, 'camel')}${pascalName(field, 'camel')}`;
  for (const parent of offeredRoots(subschema)) {
    const scope = new NameScope();
    const isFree = (name: string): boolean => !isTaken(parent, name);
    const wantedOf = (field: string): string => renames.get(`${parent}.${field}`) ?? prefixed(field);
    const fields = Object.keys(rootOf(schema, parent)?.getFields() ?? {}).filter(
      (field) => !hidden.has(`${parent}.${field}`),
    );
    const uses = new Uses(fields.map(wantedOf));
    for (const field of fields) {
      const part = `${parent}.${field}`;
      const wanted = wantedOf(field);
      const base = `${fieldName(service, 'camel')}${pascalName(wanted, 'camel')}`;
      let name = isFree(wanted) ? scope.take(wanted) : scope.take(base);
      while (!isFree(name)) name = scope.take(base);
      rootFields.set(part, name);
      if (renames.has(part)) {
        if (name !== wanted || uses.areMany(wanted)) findings.push(taken(service, part, wanted, 'that name is taken'));
      } else if (name !== wanted) {
        const what = `Service ${service}: ${part} is ${parent}.${name}, as ${wanted} is taken.`;
        names.warn(what, 'Give it a name of its own with `rename`, or the service a `prefix`.');
      }
    }
  }
  return rootFields;
}
