import { Refusal } from '../../base/refusals/refusal.js';
import type { Compiled } from '../../compile.js';
import { DescribedCalls } from '../../graphql/described/described-call.js';
import type { OperationEndpoint } from '../calls/operation-endpoint.js';
import type { GraphqlEndpoint } from '../graphql/endpoint.js';
import { OPENAPI_PATHS, OpenApiAnswers } from './answer-openapi.js';
import { answerRest } from './answer-rest.js';
import { refuseRest } from './problem.js';

/** Null where no service is offered over REST. */
export function makeRestEndpoint({ rest }: Pick<Compiled, 'rest'>, graphql: GraphqlEndpoint): OperationEndpoint | null {
  if (rest === null) return null;
  const { operations, bases } = rest;
  const calls = new DescribedCalls(graphql.operations);
  const openApi = new OpenApiAnswers(graphql, rest);
  return {
    route: 'rest',
    isForPages: true,
    isFor: (path) => operations.has(path) || OPENAPI_PATHS.has(path) || bases.some((base) => path.startsWith(base)),
    async answer(asked, path, query) {
      const described = operations.get(path);
      if (described === undefined && OPENAPI_PATHS.has(path)) return openApi.answer(asked, path);
      if (described === undefined) throw new Refusal('HTTP_NOT_FOUND', null, { found: path });
      await answerRest(graphql, calls, asked, described, query);
    },
    refuse: refuseRest,
  };
}
