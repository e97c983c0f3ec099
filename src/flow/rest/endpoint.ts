import type { Compiled } from '../../compile.js';
import { Refusal } from '../../core/index.js';
import { namedOperations } from '../../graphql/index.js';
import type { OperationEndpoint } from '../calls/operation-endpoint.js';
import type { GraphqlEndpoint } from '../graphql/endpoint.js';
import { OPENAPI_PATHS, OpenApiAnswers } from './answer-openapi.js';
import { answerRest } from './answer-rest.js';
import { makeOpenApiPage } from './page/openapi-page.js';
import { refuseRest } from './problem.js';
import { ERRORS } from './rest-form.js';
import { namedTarget, routedTarget } from './rest-target.js';

const PAGE_FIELDS = { requests: ['if-none-match'], answers: ['etag', 'retry-after', ERRORS] };

/** Null where no service is offered over REST. */
export function makeRestEndpoint(
  { rest }: Pick<Compiled, 'rest'>,
  graphql: GraphqlEndpoint,
): OperationEndpoint | null {
  if (rest === null) return null;
  const { operations, routes, bases } = rest;
  const calls = new namedOperations.DescribedCalls(graphql.operations);
  const openApi = new OpenApiAnswers(graphql, rest);
  const open = rest.hasPage ? makeOpenApiPage() : null;
  return {
    route: 'rest',
    pageFields: PAGE_FIELDS,
    open,
    isFor: (path, request) =>
      operations.has(path) ||
      open?.isFor(path, request) === true ||
      OPENAPI_PATHS.has(path) ||
      bases.some((base) => path.startsWith(base)) ||
      routes.has(path),
    async answer(asked, path, query) {
      const described = operations.get(path);
      if (described === undefined && OPENAPI_PATHS.has(path)) return openApi.answer(asked, path);
      if (described !== undefined) {
        return answerRest(graphql, calls, asked, namedTarget(described), query);
      }
      const target = routedTarget(routes.matching(path), asked.request.method ?? '');
      if (target === null) throw new Refusal('HTTP_NOT_FOUND', null, { found: path });
      await answerRest(graphql, calls, asked, target, query);
    },
    refuse: refuseRest,
  };
}
