import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  NoSchemaIntrospectionCustomRule,
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
  const rules = introspection ? QUIET_RULES : [...QUIET_RULES, NoSchemaIntrospectionCustomRule];
  const found = validate(schema, document, rules, { maxErrors, hideSuggestions: !introspection });
  if (found.length === 0) return;
  const isIntrospection = !introspection && found.every(isAboutIntrospection);
  const errors = found.map((error) => {
    // What stops validation has no place in the document.
    if (error.nodes === undefined) return tooManyErrors();
    const place = { nodes: error.nodes };
    if (!introspection && isAboutIntrospection(error)) return codedError('INTROSPECTION_DISABLED', place);
    return codedError('GRAPHQL_VALIDATION_FAILED', place, error.message);
  });
  throw new DocumentRefusal(isIntrospection ? 'INTROSPECTION_DISABLED' : 'GRAPHQL_VALIDATION_FAILED', errors);
}

/** The standard rules, of which one tells the caller's values back: here it does not. */
const QUIET_RULES: readonly ValidationRule[] = specifiedRules.map((rule) =>
  rule === ValuesOfCorrectTypeRule ? quietValues : rule,
);

function quietValues(context: ValidationContext): ReturnType<ValidationRule> {
  const reportError = (error: GraphQLError): void => context.reportError(withoutValue(error, context));
  return ValuesOfCorrectTypeRule(Object.create(context, { reportError: { value: reportError } }));
}

function withoutValue(error: GraphQLError, context: ValidationContext): GraphQLError {
  const node = error.nodes?.[0];
  const type = context.getInputType();
  // These name fields, not values.
  if (node?.kind === Kind.OBJECT_FIELD) return error;
  if (node?.kind === Kind.OBJECT && type && isInputObjectType(getNamedType(type))) return error;
  return new GraphQLError(`Expected a value of type "${String(type)}".`, { nodes: error.nodes ?? null });
}

const isAboutIntrospection = (error: GraphQLError): boolean =>
  error.nodes?.some((node) => node.kind === Kind.FIELD && node.name.value.startsWith('__')) ?? false;
