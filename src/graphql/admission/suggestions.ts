import {
  FieldsOnCorrectTypeRule,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  KnownArgumentNamesRule,
  KnownTypeNamesRule,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';

/**
 * Steps that one document is worth: to compare two names takes as many as their lengths multiplied. On a small schema
 * that is enough for all errors that are listed.
 */
const STEPS_MAX = 200_000;

/**
 * Suggestions of names (`Did you mean`) for the errors of one document. graphql-js compares a name that is not known
 * with all that could stand in its place, which of a large schema takes longer than all the rest: where it would be too
 * much, nothing is suggested.
 */
export class Suggestions {
  #left = STEPS_MAX;

  /** The rule, which may suggest as long as there are steps left. */
  bounding(rule: ValidationRule): ValidationRule {
    return (context) =>
      rule(Object.create(context, { hideSuggestions: { get: () => !this.#pay(stepsOf(rule, context)) } }));
  }

  #pay(steps: number): boolean {
    if (steps > this.#left) return false;
    this.#left -= steps;
    return true;
  }
}

/** What it takes to find the names that are like one at the place where the rule is. */
function stepsOf(rule: ValidationRule, context: ValidationContext): number {
  const schema = context.getSchema();
  if (rule === KnownTypeNamesRule) return stepsOfTypes(schema);
  if (rule === KnownArgumentNamesRule) return stepsOfNames(context.getFieldDef()?.args.map(({ name }) => name) ?? []);
  const parent = context.getParentType();
  if (rule === FieldsOnCorrectTypeRule) return parent ? stepsOfFields(parent, schema) : 0;
  // A value: names are looked for where its field is not known, and of an enumeration, where nobody is told.
  const holder = context.getInputType() ? null : getNamedType(context.getParentInputType() ?? null);
  return holder ? stepsOfFields(holder, schema) : STEPS_MAX + 1;
}

function stepsOfTypes(schema: GraphQLSchema): number {
  const known = STEPS.get(schema) ?? stepsOfNames(Object.keys(schema.getTypeMap()));
  STEPS.set(schema, known);
  return known;
}

function stepsOfFields(type: GraphQLNamedType, schema: GraphQLSchema): number {
  const known = STEPS.get(type);
  if (known !== undefined) return known;
  const hasFields = isObjectType(type) || isInterfaceType(type) || isInputObjectType(type);
  const own = hasFields ? stepsOfNames(Object.keys(type.getFields())) : 0;
  // Fields of the types that it stands for are looked for as well, and sorted.
  const steps = own + (isAbstractType(type) ? STEPS_OF_TYPE * schema.getPossibleTypes(type).length : 0);
  STEPS.set(type, steps);
  return steps;
}

/** The length of the name that is not known is about that of the names that are like it. */
const stepsOfNames = (names: readonly string[]): number => names.reduce((sum, { length }) => sum + length * length, 0);

const STEPS_OF_TYPE = 200;

const STEPS = new WeakMap<object, number>();
