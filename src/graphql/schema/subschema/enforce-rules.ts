import {
  defaultFieldResolver,
  GraphQLError,
  type GraphQLField,
  GraphQLID,
  type GraphQLSchema,
  GraphQLString,
  getNamedType,
  getNullableType,
  isIntrospectionType,
  isObjectType,
} from 'graphql';
import { getOrMake } from '../../../core/index.js';
import type { Subschema, SubschemaNames } from '../fields/subschema.js';
import type { FieldRights } from '../rights/field-rights.js';
import { bothRules, describedWith, type FieldRule, ruleExtensions } from '../rights/field-rule.js';
import { type FieldOwner, isFieldOwner } from '../types/field-owner.js';
import { type MappingFinding, mappingFinding } from '../types/mapping.js';
import { isRoot } from '../types/roots.js';
import { hasPart, partName } from './schema-parts.js';
import { withholdSentValue } from './sent-value.js';

/** The rights of the caller of a request, in the context that a wrapped schema is executed with. */
export interface RightsContext {
  readonly rights: FieldRights | null;
  /**
   * The prefix of response keys that are not of the caller: values that links need. Null without
   * any.
   */
  readonly hiddenPrefix: string | null;
}

/** The code of the error of a forbidden field. */
export const FORBIDDEN = 'FORBIDDEN';

/**
 * Enforces the rules of a subschema in its wrapped schema, whose fields become null or masked for
 * the callers that they are for. A rule of an interface holds for the objects that implement it,
 * that of a type for the fields that lead to it. Returns findings about rules that mean nothing.
 */
export function enforceRules(
  service: Subschema,
  wrapped: GraphQLSchema,
  names: SubschemaNames,
): readonly MappingFinding[] {
  const { schema, rules } = service;
  if (rules.size === 0) return [];
  const findings: MappingFinding[] = [];
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isFieldOwner(type) || isIntrospectionType(type)) continue;
    const there = wrapped.getType(wrappedName(type, schema, names));
    if (!isFieldOwner(there)) continue;
    for (const name of Object.keys(type.getFields())) {
      const rule = ruleOfField(service, type, name);
      const here = isRoot(schema, type)
        ? names.rootFields.get(`${partName(schema, type)}.${name}`)
        : undefined;
      const field = there.getFields()[here ?? names.fields.get(`${type.name}.${name}`) ?? name];
      if (rule === null || field === undefined) continue;
      const isText = [GraphQLString, GraphQLID].some(
        (text) => text.name === getNamedType(field.type).name,
      );
      const masks = new Set(rule.masks.values());
      const part = `${partName(schema, type)}.${name}`;
      // A mask of an interface is reported there, and not for each type that implements it.
      if (!isText && rules.has(part) && (masks.has('last4') || masks.has('hash'))) {
        const path = ['fields', part, 'mask'];
        const what = 'Only text has a part or a hash to show.';
        findings.push(mappingFinding(service.name, path, what, 'Mask it by `null`.'));
      }
      if (masks.has('null') || masks.has('remove')) {
        field.type = getNullableType(field.type);
      }
      field.extensions = { ...field.extensions, ...ruleExtensions(rule) };
      field.description = describedWith(field.description, rule);
      if (isObjectType(there)) {
        enforce(field, rule);
      }
    }
  }
  return [...findings, ...missing(service)];
}

function wrappedName(type: FieldOwner, schema: GraphQLSchema, names: SubschemaNames): string {
  return (
    (isRoot(schema, type) ? names.roots.get(type.name) : names.types.get(type.name)) ?? type.name
  );
}

/** The rule of a field, in the names of the upstream; null without one. Found once. */
export function ruleOfField(
  { schema, rules }: Pick<Subschema, 'schema' | 'rules'>,
  type: FieldOwner,
  name: string,
): FieldRule | null {
  const ofSchema = getOrMake(FIELD_RULES, rules, () => new Map<string, FieldRule | null>());
  const field = type.getFields()[name];
  if (field === undefined) return null;
  return getOrMake(ofSchema, `${type.name}.${name}`, () => {
    const owners: readonly FieldOwner[] = [type, ...type.getInterfaces()];
    const parts = owners.flatMap((owner) => {
      const part = partName(schema, owner);
      return owner.getFields()[name] === undefined ? [part] : [part, `${part}.${name}`];
    });
    return [...parts, getNamedType(field.type).name].reduce<FieldRule | null>(
      (all, part) => bothRules(all, rules.get(part) ?? null),
      null,
    );
  });
}

const FIELD_RULES = new WeakMap<Subschema['rules'], Map<string, FieldRule | null>>();

function enforce(field: GraphQLField<unknown, unknown>, rule: FieldRule): void {
  const resolve = field.resolve ?? defaultFieldResolver;
  field.resolve = (parent, values, context, info) => {
    const { rights, hiddenPrefix } = isRightsContext(context) ? context : NO_RIGHTS;
    const isHidden = hiddenPrefix !== null && String(info.path.key).startsWith(hiddenPrefix);
    const decision = isHidden ? null : (rights?.decide(rule) ?? null);
    if (decision === 'forbidden') {
      throw new GraphQLError('withheld', { extensions: { code: FORBIDDEN } });
    }
    if (decision === 'null' || decision === 'remove') {
      withholdSentValue(info);
      return null;
    }
    const value = resolve(parent, values, context, info);
    if (decision === null || rights === null) return value;
    return value instanceof Promise
      ? value.then((resolved: unknown) => rights.mask(resolved, decision))
      : rights.mask(value, decision);
  };
}

const NO_RIGHTS: RightsContext = { rights: null, hiddenPrefix: null };

const isRightsContext = (context: unknown): context is RightsContext =>
  typeof context === 'object' && context !== null && 'rights' in context;

/** Rules of the configuration for unknown fields. */
function missing({ name: service, schema, rules }: Subschema): readonly MappingFinding[] {
  return [...rules.keys()].flatMap((part): MappingFinding[] => {
    if (!part.includes('.') || hasPart(schema, part)) return [];
    return [mappingFinding(service, ['fields', part], `The service has no \`${part}\`.`)];
  });
}
