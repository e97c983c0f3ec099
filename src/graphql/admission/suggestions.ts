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
 * Steps of comparison for one document: two names take the product of their lengths. On a small schema it is enough for
 * all listed errors.
 */
const STEPS_MAX = 200_000;

/**
 * Bounds the suggestions of names (`Did you mean`) in the errors of one document. graphql-js compares an unknown name
 * with all names that are valid in its place, which for a large schema takes longer than the rest of validation.
 */
export class Suggestions {
  #left = STEPS_MAX;

  /** The rule, which suggests names while there are steps left. */
  bounding(rule: ValidationRule): ValidationRule {
    return (context) =>
      rule(Object.create(context, { hideSuggestions: { get: () => !this.#take(stepsOf(rule, context)) } }));
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
  if (rule === KnownArgumentNamesRule) return stepsOfNames(context.getFieldDef()?.args.map(({ name }) => name) ?? []);
  const parent = context.getParentType();
  if (rule === FieldsOnCorrectTypeRule) return parent ? stepsOfFields(parent, schema) : 0;
  // A value: graphql-js searches for its unknown field, and for an enum value, whose message is replaced anyway.
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
  // Fields of its possible types are searched as well, and sorted.
  const steps = own + (isAbstractType(type) ? STEPS_OF_TYPE * schema.getPossibleTypes(type).length : 0);
  STEPS.set(type, steps);
  return steps;
}

/** An unknown name is about as long as the names that are similar. */
const stepsOfNames = (names: readonly string[]): number => names.reduce((sum, { length }) => sum + length * length, 0);

const STEPS_OF_TYPE = 200;

const STEPS = new WeakMap<object, number>();
