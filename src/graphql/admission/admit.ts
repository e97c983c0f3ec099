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
import { AT_ONCE, Refusal, refuseByLimit, type Steps, TimeSlices } from '../../core/index.js';
import { OperationSource } from '../document-source.js';
import { codedError, DocumentRefusal, documentRefusal } from '../errors.js';
import type { GraphqlLimits, MeasurableLimit } from '../limits.js';
import type { RawVariables, Variables } from '../schema/output/reply-plan.js';
import type { FieldRights } from '../schema/rights/field-rights.js';
import { coerceVariables } from './coerce-variables.js';
import type { Estimate } from './cost/cost.js';
import { costRefusal } from './cost/cost-refusal.js';
import type { CostTable } from './cost/cost-table.js';
import { EstimateCache } from './cost/estimate-cache.js';
import { AdmittedDocument, type DocumentCache, fragmentsOf } from './document-cache.js';
import { type DocumentCacheEntry, EntryPart } from './document-cache-entry.js';
import { checkShape } from './document-shape.js';
import {
  ARGUMENT_SIZES,
  checkArguments,
  measureArguments,
  measureVariables,
} from './input-size.js';
import {
  asksIntrospection,
  countIntrospected,
  introspectionPoints,
  prepareWholeCount,
  wholeSchemaFields,
} from './introspection-cost.js';
import { LimitChecker, limitRefusal } from './limit-checker.js';
import type { TrustedDocuments } from './trusted-documents.js';
import { validateDocument } from './validation.js';

/** The parameters of a GraphQL request, the same for every transport. */
export interface GraphqlParams {
  readonly query: string;
  readonly operationName: string | null;
  /** Raw: not coerced. */
  readonly variables: RawVariables;
}

/** The schema, limits and caches that admit the requests of one generation. */
export interface Admission {
  readonly schema: GraphQLSchema;
  readonly limits: GraphqlLimits;
  /** Limits that are only measured; none by default. */
  readonly measured?: ReadonlySet<MeasurableLimit>;
  readonly introspection: boolean;
  readonly documents: DocumentCache;
  /** None by default. */
  readonly trusted?: TrustedDocuments | null;
  /** Made from the same schema and limits. */
  readonly costs: CostTable;
}

/** An operation that may run. */
export interface Admitted {
  readonly document: AdmittedDocument;
  readonly operation: OperationDefinitionNode;
  /** Holds the plans of the operation. */
  readonly cacheEntry: DocumentCacheEntry;
  readonly variables: Variables;
  readonly params: GraphqlParams;
  /** Estimated, in points. */
  readonly cost: number;
  /** The share of introspection in `cost`. */
  readonly introspection: number;
  readonly estimate: Estimate;
  /** The prices of the estimate. */
  readonly costs: CostTable;
  /** Measured limits that it is over. */
  readonly exceeded: ReadonlySet<MeasurableLimit>;
  /** Whether messages may reveal the schema. */
  readonly isOpen: boolean;
  /** The rights of the caller; null where all callers have the same. */
  readonly rights: FieldRights | null;
}

/**
 * Admits an operation: parses and validates its document, checks the limits, coerces variables,
 * estimates the cost. Throws a `Refusal`; a `DocumentRefusal` where errors have messages or places
 * of their own.
 */
export function admit(
  params: GraphqlParams,
  admission: Admission,
  rights: FieldRights | null = null,
): Admitted {
  const { schema, limits, measured, introspection, documents, costs } = admission;
  const checker = new LimitChecker(limits, measured);
  const rawVariables = measureVariables(params.variables, checker);
  let document = documents.get(params.query);
  if (admission.trusted?.only === true && !admission.trusted.hasText(params.query)) {
    throw new Refusal('PERSISTED_QUERY_ONLY');
  }
  if (document === undefined) {
    document = readDocument(params.query, admission);
    documents.set(params.query, document);
  }
  const operation = operationOf(document.document, params.operationName, schema);
  const { fragments } = document;
  const variables = coerceVariables(schema, operation, params.variables, {
    max: limits.errors,
    isOpen: introspection,
  });
  const cacheEntry = documents.entries.get(document, operation, variables);
  checkArguments(
    cacheEntry.get(ARGUMENT_SIZES, (countBytes) =>
      measureArguments(operation, fragments, countBytes),
    ),
    operation,
    rawVariables,
    checker,
  );
  const estimates = cacheEntry.get(ESTIMATES, (countBytes) => new EstimateCache(countBytes));
  const estimate = concealing(introspection, () =>
    estimates.estimate(costs, operation, fragments, variables),
  );
  const introspectionCost = introspectionPoints(
    document.introspected.get(operation) ?? 0,
    limits.cost,
  );
  const cost = estimate.points + introspectionCost;
  if (cost > checker.ceiling('cost')) {
    const tooDear = { points: cost, dearest: estimate.dearest, isOpen: introspection };
    throw costRefusal(tooDear, { key: 'limits.graphql.cost', value: checker.ceiling('cost') });
  }
  checker.check('cost', cost);
  const exceeded =
    document.exceeded.size === 0
      ? checker.exceeded
      : new Set([...document.exceeded, ...checker.exceeded]);
  return {
    document,
    operation,
    cacheEntry,
    variables,
    params,
    cost,
    introspection: introspectionCost,
    estimate,
    costs,
    exceeded,
    isOpen: introspection,
    rights,
  };
}

/** Whether the document is long and not cached: each of its characters may take microseconds. */
export const isLongUncached = ({ query }: GraphqlParams, { documents }: Admission): boolean =>
  query.length > SHORT_UNITS && !documents.has(query);

const SHORT_UNITS = 1024;

/** Work on introspection takes turns. */
const slices = new TimeSlices();

/**
 * Reads a document that may ask for introspection in time slices, before it is admitted. Rejects as
 * `admit` throws.
 */
export async function prepareIntrospection(
  { query, variables }: GraphqlParams,
  admission: Admission,
): Promise<void> {
  const { schema, introspection, documents, trusted, limits, measured } = admission;
  if (!introspection || !/__(?:schema|type)\b/.test(query) || documents.has(query)) return;
  if (trusted?.only === true && !trusted.hasText(query)) return;
  measureVariables(variables, new LimitChecker(limits, measured));
  await prepareWholeCount(schema);
  await documents.readOnce(query, () => slices.run(readInSteps(query, admission)));
}

const ESTIMATES = new EntryPart<EstimateCache>();

/** Replaces errors that name slicing arguments, unless the schema may be known. */
function concealing<T>(isOpen: boolean, work: () => T): T {
  try {
    return work();
  } catch (caught) {
    throw caught instanceof DocumentRefusal && !isOpen ? (caught.closed ?? caught) : caught;
  }
}

/** Parses and validates a document. Throws as `admit` does. */
export const readDocument = (query: string, admission: Admission): AdmittedDocument =>
  AT_ONCE.finish(readInSteps(query, admission));

function* readInSteps(
  query: string,
  { schema, limits, measured, introspection }: Admission,
): Steps<AdmittedDocument> {
  const checker = new LimitChecker(limits, measured);
  checker.check('characters', query.length);
  const document = parseDocument(query, checker.ceiling('tokens'), limits);
  checker.check('tokens', tokensOf(document, checker.ceiling('tokens')));
  checkShape(document, checker);
  validateDocument(schema, document, { introspection, maxErrors: limits.errors });
  const introspected = introspection ? yield* introspectionOf(schema, document, limits) : undefined;
  return new AdmittedDocument(document, checker.exceeded, introspected);
}

/** Counts the tokens of a document with comments, up to `most` and one. */
function tokensOf({ loc }: DocumentNode, most: number): number {
  let count = 0;
  for (
    let token = loc?.startToken.next;
    token && token.kind !== TokenKind.EOF;
    token = token.next
  ) {
    if (++count > most) break;
  }
  return count;
}

/**
 * Counts the fields that introspection answers. The query of tools is always allowed; a short query
 * that asks for the whole schema many times over is refused.
 */
function* introspectionOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  { cost }: GraphqlLimits,
): Steps<ReadonlyMap<OperationDefinitionNode, number>> {
  const counts = new Map<OperationDefinitionNode, number>();
  const fragments = fragmentsOf(document);
  for (const operation of document.definitions) {
    if (operation.kind !== Kind.OPERATION_DEFINITION) continue;
    if (!asksIntrospection(schema, operation, fragments)) continue;
    const most = INTROSPECTION_TIMES * wholeSchemaFields(schema);
    const count = yield* countIntrospected(schema, operation, fragments, most);
    if (count > most) {
      throw refuseByLimit('MAX_COST_LIMIT', 'limits.graphql.cost', cost, null, 'introspection');
    }
    counts.set(operation, count);
  }
  return counts;
}

/** The query of tools asks for some parts twice. */
const INTROSPECTION_TIMES = 2;

function parseDocument(query: string, maxTokens: number, limits: GraphqlLimits): DocumentNode {
  const source = new OperationSource(query);
  try {
    const document = parse(source, { maxTokens });
    source.close();
    return document;
  } catch (error) {
    // The parser recurses: with a high limit of tokens the stack may overflow.
    if (error instanceof RangeError) throw limitRefusal('depth', limits.depth, null);
    if (!(error instanceof GraphQLError)) throw error;
    if (hasMoreTokens(source, maxTokens)) throw limitRefusal('tokens', maxTokens, null);
    const { locations = [] } = error;
    const [at] = locations;
    const rule = ruleOfSyntax(error.message);
    const where = `Syntax error at line ${at?.line}, column ${at?.column}`;
    const errors = [codedError('GRAPHQL_PARSE_FAILED', { locations }, `${where}: ${rule}.`)];
    // The log goes without the rule, which repeats what stands there.
    throw new DocumentRefusal('GRAPHQL_PARSE_FAILED', errors, { found: `${where}.` });
  }
}

/** What graphql-js says of a syntax error, without the values of literals. */
const ruleOfSyntax = (message: string): string =>
  message
    .slice(0, SYNTAX_ERROR_CHARS_MAX)
    .replace(/^Syntax Error: /, '')
    .replace(/\b(String|BlockString|Int|Float|Comment) ".*$/s, '$1')
    .replace(/\.$/, '');

/** It repeats the token, which may be a long name. */
const SYNTAX_ERROR_CHARS_MAX = 256;

/** Whether the parser stopped at the limit of tokens. */
function hasMoreTokens(source: Source, maxTokens: number): boolean {
  const lexer = new Lexer(source);
  try {
    for (let count = 0; count <= maxTokens; count++) {
      if (lexer.advance().kind === TokenKind.EOF) return false;
    }
    return true;
  } catch {
    return false;
  }
}

function operationOf(
  document: DocumentNode,
  name: string | null,
  schema: GraphQLSchema,
): OperationDefinitionNode {
  // Some clients send an empty name for none.
  const operation = getOperationAST(document, name === '' ? null : name);
  if (operation === null || operation === undefined) {
    const message =
      'The document has no operation of that name, or more than one and none was named.';
    throw documentRefusal('BAD_REQUEST', message);
  }
  if (schema.getRootType(operation.operation)) return operation;
  const message = `The schema has no ${operation.operation}.`;
  throw documentRefusal('GRAPHQL_VALIDATION_FAILED', message, { nodes: [operation] });
}
