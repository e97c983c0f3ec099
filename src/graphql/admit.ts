import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Lexer,
  type OperationDefinitionNode,
  parse,
  Source,
  TokenKind,
} from 'graphql';
import { Refusal } from '../base/refusal.js';
import type { Estimate } from './cost.js';
import { EstimateMemo } from './cost-memo.js';
import { CostTable } from './cost-table.js';
import { AdmittedDocument, type DocumentCache, type Maker } from './documents.js';
import { codedError, DocumentRefusal } from './errors.js';
import type { GraphqlLimits } from './limits.js';
import type { LinkTable } from './link.js';
import { checkShape } from './measure.js';
import type { Variables } from './plan.js';
import { validateDocument } from './validation.js';
import { coerceVariables } from './variables.js';

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
  readonly links?: LinkTable;
  readonly limits: GraphqlLimits;
  readonly introspection: boolean;
  readonly documents: DocumentCache;
  /** Not given: made from the others. */
  readonly costs?: CostTable;
}

/** An operation that may run. */
export interface Admitted {
  readonly document: AdmittedDocument;
  readonly operation: OperationDefinitionNode;
  readonly variables: Variables;
  readonly params: GraphqlParams;
  /** Estimated, in points. */
  readonly cost: number;
  readonly estimate: Estimate;
}

/**
 * The one admission of GraphQL: parsed, within the limits, valid, with coerced variables, not too expensive. Throws a
 * `Refusal`, which is a `DocumentRefusal` where there is more to say than its text.
 */
export function admit(params: GraphqlParams, admission: Admission): Admitted {
  const { schema, limits, documents } = admission;
  let document = documents.get(params.query);
  if (document === undefined) {
    document = readDocument(params.query, admission);
    documents.set(params.query, document);
  }
  const operation = operationOf(document.document, params.operationName, schema);
  const variables = coerceVariables(schema, operation, params.variables, limits.errors);
  const memo = document.remember(operation, MEMO, variables, () => new EstimateMemo());
  const estimate = memo.estimate(admission.costs ?? new CostTable(admission), operation, document.fragments, variables);
  if (estimate.points > limits.cost) throw new CostRefusal(estimate.points);
  return { document, operation, variables, params, cost: estimate.points, estimate };
}

const MEMO: Maker<EstimateMemo> = { holds: (value): value is EstimateMemo => value instanceof EstimateMemo };

/** `MAX_COST_LIMIT`, with what it would have cost. */
export class CostRefusal extends Refusal {
  readonly points: number;

  constructor(points: number) {
    super('MAX_COST_LIMIT');
    this.points = points;
  }
}

function readDocument(query: string, { schema, limits, introspection }: Admission): AdmittedDocument {
  const document = parseDocument(query, limits.tokens);
  checkShape(document, limits);
  validateDocument(schema, document, { introspection, maxErrors: limits.errors });
  return new AdmittedDocument(document);
}

function parseDocument(query: string, maxTokens: number): DocumentNode {
  const source = new Source(query);
  try {
    return parse(source, { maxTokens });
  } catch (error) {
    // The parser recurses: where the limit of tokens is high, nesting ends here.
    if (error instanceof RangeError) throw new Refusal('MAX_DEPTH_LIMIT');
    if (!(error instanceof GraphQLError)) throw error;
    if (hasMoreTokens(source, maxTokens)) throw new Refusal('MAX_TOKENS_LIMIT');
    const [at] = error.locations ?? [];
    const message = `Syntax error at line ${at?.line}, column ${at?.column}.`;
    const { positions = [] } = error;
    const extensions = { code: 'GRAPHQL_PARSE_FAILED' };
    throw new DocumentRefusal('GRAPHQL_PARSE_FAILED', [new GraphQLError(message, { source, positions, extensions })]);
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
