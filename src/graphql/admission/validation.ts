import {
  type DocumentNode,
  ExecutableDefinitionsRule,
  FieldsOnCorrectTypeRule,
  FragmentsOnCompositeTypesRule,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  Kind,
  KnownArgumentNamesRule,
  KnownDirectivesRule,
  KnownTypeNamesRule,
  MaxIntrospectionDepthRule,
  NoSchemaIntrospectionCustomRule,
  OverlappingFieldsCanBeMergedRule,
  PossibleFragmentSpreadsRule,
  ProvidedRequiredArgumentsRule,
  ScalarLeafsRule,
  SingleFieldSubscriptionsRule,
  specifiedRules,
  UniqueInputFieldNamesRule,
  type ValidationContext,
  type ValidationRule,
  ValuesOfCorrectTypeRule,
  VariablesAreInputTypesRule,
  VariablesInAllowedPositionRule,
  validate,
} from 'graphql';
import { getOrMake } from '../../core/index.js';
import { codedError, DocumentRefusal, tooManyErrors } from '../errors.js';
import { urlRule } from '../schema/downloads/url-directive.js';
import { enumHint } from './hints.js';
import { mergeableFieldsRule, TOO_COMPLEX } from './mergeable-fields.js';

interface ValidationOptions {
  readonly introspection: boolean;
  /** Errors listed; one more announces that there were others. */
  readonly maxErrors: number;
}

/**
 * Validates a document. Throws `GRAPHQL_VALIDATION_FAILED`; without introspection no message
 * reveals the schema.
 */
export function validateDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  options: ValidationOptions,
): void {
  const { introspection, maxErrors } = options;
  const rules = introspection ? openRules() : CLOSED_RULES;
  const found = validate(schema, document, rules, { maxErrors, hideSuggestions: !introspection });
  if (found.length === 0) return;
  const errors = found.map((error, index) => {
    if (error.extensions['code'] === 'INTROSPECTION_DISABLED') return error;
    if (index === maxErrors) return tooManyErrors();
    return codedError('GRAPHQL_VALIDATION_FAILED', { nodes: error.nodes ?? [] }, error.message);
  });
  const isIntrospection = errors.every(
    (error) => error.extensions['code'] === 'INTROSPECTION_DISABLED',
  );
  throw new DocumentRefusal(
    isIntrospection ? 'INTROSPECTION_DISABLED' : 'GRAPHQL_VALIDATION_FAILED',
    errors,
  );
}

/**
 * The standard rules, with a faster one for mergeable fields and one whose messages hold no values,
 * and that of `@url`.
 */
const RULES: readonly ValidationRule[] = [
  ...specifiedRules.map((rule) =>
    rule === OverlappingFieldsCanBeMergedRule ? mergeableFieldsRule : rule,
  ),
  urlRule,
];
const QUIET_RULES: readonly ValidationRule[] = RULES.map((rule) =>
  rule === ValuesOfCorrectTypeRule ? quietValues : rule,
);

/** The rules for one document, with bounded suggestions. */
function openRules(): readonly ValidationRule[] {
  const suggestions = new Suggestions();
  return QUIET_RULES.map((rule) => suggestions.bounding(rule));
}

/** Messages instead of those that reveal the schema. Other rules repeat the document only. */
const CLOSED_MESSAGES: ReadonlyMap<ValidationRule, string> = new Map([
  [ExecutableDefinitionsRule, 'Only operations and fragments can be executed.'],
  [FieldsOnCorrectTypeRule, 'There is no such field here.'],
  [FragmentsOnCompositeTypesRule, 'A fragment cannot be on this type.'],
  [KnownArgumentNamesRule, 'There is no such argument here.'],
  [KnownDirectivesRule, 'There is no such directive here.'],
  [KnownTypeNamesRule, 'There is no such type.'],
  [mergeableFieldsRule, 'Fields of one name conflict here: give them aliases.'],
  [PossibleFragmentSpreadsRule, 'This fragment can never apply here.'],
  [ProvidedRequiredArgumentsRule, 'A required argument is missing.'],
  [
    ScalarLeafsRule,
    'A field of an object type needs a selection, and no other field may have one.',
  ],
  [SingleFieldSubscriptionsRule, 'A subscription must select one field.'],
  [UniqueInputFieldNamesRule, 'An input field is present twice.'],
  [ValuesOfCorrectTypeRule, 'This is no value for this place.'],
  [VariablesAreInputTypesRule, 'A variable cannot be of this type.'],
  [VariablesInAllowedPositionRule, 'This variable is of another type than this place.'],
  [MaxIntrospectionDepthRule, 'The introspection is nested deeper than allowed.'],
]);

/** Rules for a schema that may not be known: their messages contain none of its names. */
const CLOSED_RULES: readonly ValidationRule[] = [...RULES.map(closed), noIntrospection];

function closed(rule: ValidationRule): ValidationRule {
  const message = CLOSED_MESSAGES.get(rule);
  if (message === undefined) return rule;
  const replaced = (error: GraphQLError): GraphQLError =>
    error.message === TOO_COMPLEX
      ? error
      : new GraphQLError(message, { nodes: error.nodes ?? null });
  return (context) => rule(reportingTo(context, replaced));
}

function quietValues(context: ValidationContext): ReturnType<ValidationRule> {
  return ValuesOfCorrectTypeRule(reportingTo(context, (error) => withoutValue(error, context)));
}

function noIntrospection(context: ValidationContext): ReturnType<ValidationRule> {
  const coded = ({ nodes = [] }: GraphQLError): GraphQLError =>
    codedError('INTROSPECTION_DISABLED', { nodes });
  return NoSchemaIntrospectionCustomRule(reportingTo(context, coded));
}

/** Returns the context with another `reportError`, which rewrites the errors. */
function reportingTo(
  context: ValidationContext,
  rewrite: (error: GraphQLError) => GraphQLError,
): ValidationContext {
  const reportError = (error: GraphQLError): void => context.reportError(rewrite(error));
  return Object.create(context, { reportError: { value: reportError } });
}

function withoutValue(error: GraphQLError, context: ValidationContext): GraphQLError {
  const node = error.nodes?.[0];
  const type = context.getInputType();
  // These messages name fields, not values.
  if (node?.kind === Kind.OBJECT_FIELD) return error;
  if (node?.kind === Kind.OBJECT && type && isInputObjectType(getNamedType(type))) return error;
  const isText = node?.kind === Kind.ENUM || node?.kind === Kind.STRING;
  const hint = type && isText ? enumHint(type, node.value) : '';
  const message = `Expected a value of type "${String(type)}"${hint === '' ? '.' : hint}`;
  return new GraphQLError(message, { nodes: error.nodes ?? null });
}

/**
 * Steps of comparison for one document: two names take the product of their lengths. On a small
 * schema it is enough for all listed errors.
 */
const STEPS_MAX = 200_000;

/**
 * Bounds the suggestions of names (`Did you mean`) in the errors of one document. graphql-js
 * compares an unknown name with all names that are valid in its place, which for a large schema
 * takes longer than the rest of validation.
 */
class Suggestions {
  #left = STEPS_MAX;

  /** The rule, which suggests names while there are steps left. */
  bounding(rule: ValidationRule): ValidationRule {
    return (context) =>
      rule(
        Object.create(context, {
          hideSuggestions: { get: () => !this.#take(stepsOf(rule, context)) },
        }),
      );
  }

  #take(steps: number): boolean {
    if (steps > this.#left) return false;
    this.#left -= steps;
    return true;
  }
}

/** The steps of a search for similar names at the place of the rule. */
function stepsOf(rule: ValidationRule, context: ValidationContext): number {
  const schema = context.getSchema();
  if (rule === KnownTypeNamesRule) return stepsOfTypes(schema);
  if (rule === KnownArgumentNamesRule) {
    return stepsOfNames(context.getFieldDef()?.args.map(({ name }) => name) ?? []);
  }
  const parent = context.getParentType();
  if (rule === FieldsOnCorrectTypeRule) return parent ? stepsOfFields(parent, schema) : 0;
  // A value: graphql-js searches for its unknown field, and for an enum value, whose message is
  // replaced anyway.
  const holder = context.getInputType() ? null : getNamedType(context.getParentInputType() ?? null);
  return holder ? stepsOfFields(holder, schema) : STEPS_MAX + 1;
}

function stepsOfTypes(schema: GraphQLSchema): number {
  return getOrMake(STEPS, schema, () => stepsOfNames(Object.keys(schema.getTypeMap())));
}

function stepsOfFields(type: GraphQLNamedType, schema: GraphQLSchema): number {
  return getOrMake(STEPS, type, () => {
    const hasFields = isObjectType(type) || isInterfaceType(type) || isInputObjectType(type);
    const own = hasFields ? stepsOfNames(Object.keys(type.getFields())) : 0;
    // Fields of its possible types are searched as well, and sorted.
    return own + (isAbstractType(type) ? STEPS_OF_TYPE * schema.getPossibleTypes(type).length : 0);
  });
}

/** An unknown name is about as long as the names that are similar. */
const stepsOfNames = (names: readonly string[]): number =>
  names.reduce((sum, { length }) => sum + length * length, 0);

const STEPS_OF_TYPE = 200;

const STEPS = new WeakMap<object, number>();
