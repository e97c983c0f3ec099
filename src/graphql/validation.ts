import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  NoSchemaIntrospectionCustomRule,
  ScalarLeafsRule,
  specifiedRules,
  type ValidationContext,
  type ValidationRule,
  ValuesOfCorrectTypeRule,
  validate,
} from 'graphql';
import { codedError, DocumentRefusal, tooManyErrors } from './errors.js';

export interface ValidationOptions {
  readonly introspection: boolean;
  /** Errors listed; one more says that there were others. */
  readonly maxErrors: number;
}

/** Holds a document to the schema. Throws `GRAPHQL_VALIDATION_FAILED`; with introspection off no message helps to guess. */
export function validateDocument(schema: GraphQLSchema, document: DocumentNode, options: ValidationOptions): void {
  const { introspection, maxErrors } = options;
  const rules = introspection ? QUIET_RULES : CLOSED_RULES;
  const found = validate(schema, document, rules, { maxErrors, hideSuggestions: !introspection });
  if (found.length === 0) return;
  const errors = found.map((error, index) => {
    if (error.extensions['code'] === 'INTROSPECTION_DISABLED') return error;
    if (index === maxErrors) return tooManyErrors();
    // graphql-js meters the comparison of fields that may be merged, and gives up without a place.
    const message = error.nodes === undefined ? 'The document is too complex to validate.' : error.message;
    return codedError('GRAPHQL_VALIDATION_FAILED', { nodes: error.nodes ?? [] }, message);
  });
  const isIntrospection = errors.every((error) => error.extensions['code'] === 'INTROSPECTION_DISABLED');
  throw new DocumentRefusal(isIntrospection ? 'INTROSPECTION_DISABLED' : 'GRAPHQL_VALIDATION_FAILED', errors);
}

/** The standard rules, of which one tells the caller's values back: here it does not. */
const QUIET_RULES: readonly ValidationRule[] = specifiedRules.map((rule) =>
  rule === ValuesOfCorrectTypeRule ? quietValues : rule,
);

/** Rules for a schema that is not shown: one suggests a selection whatever it is told. */
const CLOSED_RULES: readonly ValidationRule[] = [
  ...QUIET_RULES.map((rule) => (rule === ScalarLeafsRule ? quietLeafs : rule)),
  noIntrospection,
];

function quietLeafs(context: ValidationContext): ReturnType<ValidationRule> {
  const message = 'A field of an object type needs a selection, and no other field may have one.';
  return ScalarLeafsRule(reportingTo(context, ({ nodes = [] }) => new GraphQLError(message, { nodes })));
}

function quietValues(context: ValidationContext): ReturnType<ValidationRule> {
  return ValuesOfCorrectTypeRule(reportingTo(context, (error) => withoutValue(error, context)));
}

function noIntrospection(context: ValidationContext): ReturnType<ValidationRule> {
  const coded = ({ nodes = [] }: GraphQLError): GraphQLError => codedError('INTROSPECTION_DISABLED', { nodes });
  return NoSchemaIntrospectionCustomRule(reportingTo(context, coded));
}

/** The same context, which reports what `rewrite` makes of an error. */
function reportingTo(context: ValidationContext, rewrite: (error: GraphQLError) => GraphQLError): ValidationContext {
  const reportError = (error: GraphQLError): void => context.reportError(rewrite(error));
  return Object.create(context, { reportError: { value: reportError } });
}

function withoutValue(error: GraphQLError, context: ValidationContext): GraphQLError {
  const node = error.nodes?.[0];
  const type = context.getInputType();
  // These name fields, not values.
  if (node?.kind === Kind.OBJECT_FIELD) return error;
  if (node?.kind === Kind.OBJECT && type && isInputObjectType(getNamedType(type))) return error;
  return new GraphQLError(`Expected a value of type "${String(type)}".`, { nodes: error.nodes ?? null });
}
