import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  parse,
  type Source,
  TokenKind,
} from 'graphql';
import { Refusal, refuseByLimit } from '../../base/refusal.js';
import type { Estimate } from '../cost/cost.js';
import type { CostTable } from '../cost/cost-table.js';
import { EstimateMemo } from '../cost/estimate-cache.js';
import { DocumentSource } from '../document-source.js';
import { codedError, DocumentRefusal } from '../errors.js';
import type { GraphqlLimits, MeasurableLimit } from '../limits.js';
import type { Variables } from '../output/reply-plan.js';
import { coerceVariables } from './coerce-variables.js';
import { AdmittedDocument, type DocumentCache, fragmentsOf } from './document-cache.js';
import type { Maker, Workings } from './document-cache-entry.js';
import { checkShape } from './document-shape.js';
import { checkGiven, GIVEN, measureVariables, readGiven } from './input-size.js';
import { introspectedFields, introspectionPoints, wholeSchemaFields } from './introspection-cost.js';
import { LimitChecker, limitRefusal } from './limit-checker.js';
import type { TrustedDocuments } from './trusted-documents.js';
import { validateDocument } from './validation.js';

/** What a caller asks for, by whatever transport. */
export interface GraphqlParams {
  readonly query: string;
  readonly operationName: string | null;
  /** As given: not coerced. */
  readonly variables: Variables;
}

/** What requests of one generation are held to. */
export interface Admission {
  readonly schema: GraphQLSchema;
  readonly limits: GraphqlLimits;
  /** Limits that only count; none unless given. */
  readonly measured?: ReadonlySet<MeasurableLimit>;
  readonly introspection: boolean;
  readonly documents: DocumentCache;
  /** Known since the start; none unless given. */
  readonly trusted?: TrustedDocuments | null;
  /** By the same schema and limits. */
  readonly costs: CostTable;
}

/** An operation that may run. */
export interface Admitted {
  readonly document: AdmittedDocument;
  readonly operation: OperationDefinitionNode;
  /** What is known of the operation, for who works out more. */
  readonly workings: Workings;
  readonly variables: Variables;
  readonly params: GraphqlParams;
  /** Estimated, in points. */
  readonly cost: number;
  /** What of it introspection costs. */
  readonly introspection: number;
  readonly estimate: Estimate;
  /** The prices it was estimated by. */
  readonly costs: CostTable;
  /** Measured limits that it is beyond. */
  readonly exceeded: ReadonlySet<MeasurableLimit>;
  /** Whether messages may tell of the schema. */
  readonly isOpen: boolean;
}

/**
 * The one admission of GraphQL: parsed, within the limits, valid, with coerced variables, not too expensive. Throws a
 * `Refusal`, which is a `DocumentRefusal` where there is more to say than its text.
 */
export function admit(params: GraphqlParams, admission: Admission): Admitted {
  const { schema, limits, measured, introspection, documents, costs } = admission;
  const checker = new LimitChecker(limits, measured);
  const given = measureVariables(params.variables, checker);
  let document = documents.get(params.query);
  if (admission.trusted?.only === true && !admission.trusted.hasText(params.query))
    throw new Refusal('PERSISTED_QUERY_ONLY');
  if (document === undefined) {
    document = readDocument(params.query, admission);
    documents.set(params.query, document);
  }
  const operation = operationOf(document.document, params.operationName, schema);
  const { fragments } = document;
  const variables = coerceVariables(schema, operation, params.variables, { max: limits.errors, isOpen: introspection });
  const workings = documents.workings.of(document, operation, variables);
  checkGiven(
    workings.of(GIVEN, (weigh) => readGiven(operation, fragments, weigh)),
    operation,
    given,
    checker,
  );
  const memo = workings.of(MEMO, (weigh) => new EstimateMemo(weigh));
  const estimate = closing(introspection, () => memo.estimate(costs, operation, fragments, variables));
  const told = introspectionPoints(document.introspected.get(operation) ?? 0, limits.cost);
  const cost = estimate.points + told;
  if (cost > checker.ceiling('cost')) throw refuseByLimit('MAX_COST_LIMIT', 'limits.graphql.cost', limits.cost, cost);
  checker.check('cost', cost);
  const exceeded =
    document.exceeded.size === 0 ? checker.exceeded : new Set([...document.exceeded, ...checker.exceeded]);
  return {
    document,
    operation,
    workings,
    variables,
    params,
    cost,
    introspection: told,
    estimate,
    costs,
    exceeded,
    isOpen: introspection,
  };
}

/** Whether the document has to be read, and takes its time: each of its characters may cost microseconds. */
export const takesLong = ({ query }: GraphqlParams, { documents }: Admission): boolean =>
  query.length > SHORT_UNITS && !documents.has(query);

const SHORT_UNITS = 1024;

const MEMO: Maker<EstimateMemo> = { holds: (value): value is EstimateMemo => value instanceof EstimateMemo };

/** Slicing arguments are told by their names where the schema may be known. */
function closing<T>(isOpen: boolean, work: () => T): T {
  try {
    return work();
  } catch (caught) {
    throw caught instanceof DocumentRefusal && !isOpen ? (caught.closed ?? caught) : caught;
  }
}

/** Parses and validates a document. Throws as `admit` does. */
export function readDocument(query: string, { schema, limits, measured, introspection }: Admission): AdmittedDocument {
  const checker = new LimitChecker(limits, measured);
  checker.check('characters', query.length);
  const document = parseDocument(query, checker.ceiling('tokens'), limits);
  checker.check('tokens', tokensOf(document, checker.ceiling('tokens')));
  checkShape(document, checker);
  validateDocument(schema, document, { introspection, maxErrors: limits.errors });
  const introspected = introspection ? introspectionOf(schema, document, limits) : undefined;
  return new AdmittedDocument(document, checker.exceeded, introspected);
}

/** The tokens of a document, comments too, as far as `most` and one. */
function tokensOf({ loc }: DocumentNode, most: number): number {
  let count = 0;
  for (let token = loc?.startToken.next; token && token.kind !== TokenKind.EOF; token = token.next) {
    if (++count > most) break;
  }
  return count;
}

/** Whoever asks for everything gets it; a few words could ask for it many times over. */
function introspectionOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  { cost }: GraphqlLimits,
): ReadonlyMap<OperationDefinitionNode, number> {
  const counts = new Map<OperationDefinitionNode, number>();
  const fragments = fragmentsOf(document);
  for (const operation of document.definitions) {
    if (operation.kind !== Kind.OPERATION_DEFINITION) continue;
    if (introspectedFields(schema, operation, fragments, 0) === 0) continue;
    const most = INTROSPECTION_TIMES * wholeSchemaFields(schema);
    const count = introspectedFields(schema, operation, fragments, most);
    if (count > most) throw refuseByLimit('MAX_COST_LIMIT', 'limits.graphql.cost', cost, null, 'introspection');
    counts.set(operation, count);
  }
  return counts;
}

/** Tools ask for some parts twice. */
const INTROSPECTION_TIMES = 2;

function parseDocument(query: string, maxTokens: number, limits: GraphqlLimits): DocumentNode {
  const source = new DocumentSource(query);
  try {
    const document = parse(source, { maxTokens });
    source.close();
    return document;
  } catch (error) {
    // The parser recurses: where the limit of tokens is high, nesting ends here.
    if (error instanceof RangeError) throw limitRefusal('depth', limits.depth, null);
    if (!(error instanceof GraphQLError)) throw error;
    if (hasMoreTokens(source, maxTokens)) throw limitRefusal('tokens', maxTokens, null);
    const { locations = [] } = error;
    const [at] = locations;
    const message = `Syntax error at line ${at?.line}, column ${at?.column}.`;
    throw new DocumentRefusal('GRAPHQL_PARSE_FAILED', [codedError('GRAPHQL_PARSE_FAILED', { locations }, message)]);
  }
}

/** Whether the limit on tokens is what the parser stopped at. */
function hasMoreTokens(source: Source, maxTokens: number): boolean {
  const lexer = new Lexer(source);
  try {
    for (let count = 0; count <= maxTokens; count++) if (lexer.advance().kind === TokenKind.EOF) return false;
    return true;
  } catch {
    return false;
  }
}

function operationOf(document: DocumentNode, name: string | null, schema: GraphQLSchema): OperationDefinitionNode {
  // Some clients send an empty name for none.
  const operation = getOperationAST(document, name === '' ? null : name);
  if (operation === null || operation === undefined) {
    const message = 'The document has no operation of that name, or more than one and none was named.';
    throw new DocumentRefusal('BAD_REQUEST', [codedError('BAD_REQUEST', {}, message)]);
  }
  if (schema.getRootType(operation.operation)) return operation;
  const message = `The schema has no ${operation.operation}.`;
  throw new DocumentRefusal('GRAPHQL_VALIDATION_FAILED', [
    codedError('GRAPHQL_VALIDATION_FAILED', { nodes: [operation] }, message),
  ]);
}
