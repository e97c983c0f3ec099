import { Refusal } from '../../core/index.js';
import { namedOperations } from '../../graphql/index.js';
import type { HttpExchange } from '../calls/http-exchange.js';
import type { OperationEndpoint } from '../calls/operation-endpoint.js';
import type { Download } from '../graphql/downloads/content-addresses.js';
import type { GraphqlEndpoint } from '../graphql/endpoint.js';
import { hostOfRequest } from '../graphql/host.js';
import { authorizeDescribed } from '../graphql/may-call.js';
import { answerEmpty, refuseHttp } from '../http/refuse.js';
import { ContentBody } from './content-body.js';

const PAGE_FIELDS = { requests: [], answers: ['content-disposition', 'retry-after'] };

/** Null where no content has an address. */
export function makeDownloadEndpoint(graphql: GraphqlEndpoint): OperationEndpoint | null {
  const { addresses } = graphql;
  if (addresses === null) return null;
  const calls = new namedOperations.DescribedCalls(graphql.operations);
  return {
    route: 'downloads',
    pageFields: PAGE_FIELDS,
    isFor: (path) => path.startsWith(addresses.path),
    async answer(asked, path) {
      if (asked.request.method !== 'GET') throw new Refusal('HTTP_METHOD');
      const sealed = path.slice(addresses.path.length);
      const download = addresses.open(sealed, asked.caller.client, asked.request.headers);
      if (download === null) {
        throw new Refusal('HTTP_NOT_FOUND', 'no address of this client', { text: UNKNOWN });
      }
      await answerDownload(graphql, calls, asked, download);
    },
    refuse: (exchange, response, refusal) => refuseHttp(exchange, response, refusal, null, 'GET'),
  };
}

const UNKNOWN = 'This address is none, has ended, or is for another client: ask for a new one.';
const CHANGED = 'What was at this address has changed: ask for a new one.';

/**
 * Repeats the call, and sends the content while it comes. Rejects with a `Refusal`, or with a bug.
 */
async function answerDownload(
  endpoint: GraphqlEndpoint,
  calls: namedOperations.DescribedCalls,
  asked: HttpExchange,
  { described, values, place, backend }: Download,
): Promise<void> {
  const { caller, exchange, response } = asked;
  const { host, departure } = hostOfRequest(endpoint, asked, null, null);
  authorizeDescribed(endpoint, caller.client, described);
  const service = endpoint.services.get(described.service);
  if (service !== undefined && service.canary !== null) {
    host.backends.goOnAt(service, service.canary, backend);
  }
  host.startWork();
  const body = new ContentBody(asked, place);
  const ownFields = fieldsOf(place);
  const outcome = await calls.call(
    { described, values, fields: ownFields, isOwn: true, receiver: body },
    host,
  );
  if (departure.aborted) throw new Refusal('CLIENT_GONE');
  if (outcome.kind === 'refused') throw outcome.refusal;
  if (outcome.kind === 'failed') {
    throw exchange.refusal?.code === outcome.code ? exchange.refusal : new Refusal(outcome.code);
  }
  if (outcome.errors.length > 0) {
    throw new Refusal('UPSTREAM_INVALID_RESPONSE', 'content that is broken');
  }
  if (body.hasChanged) {
    throw new Refusal('HTTP_NOT_FOUND', 'the content has changed', { text: CHANGED });
  }
  if (body.isFound) {
    body.end();
  } else {
    answerEmpty(exchange, response, NO_CONTENT, ['cache-control', 'no-store']);
  }
}

const NO_CONTENT = 204;

/**
 * The content and what is compared beside it, as a list of fields; null where the answer itself is
 * the content.
 */
function fieldsOf({ names, beside }: Download['place']): string | null {
  if (names.length === 0) return null;
  const around = names.slice(0, -1).join('/');
  return [names.at(-1) ?? '', ...beside.map(({ name }) => name)]
    .map((name) => (around === '' ? name : `${around}/${name}`))
    .join(',');
}
