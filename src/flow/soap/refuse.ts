import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SoapService } from '../../compile/soap/service.js';
import { Refusal, refusals } from '../../core/index.js';
import type { Exchange } from '../../gateway/exchange.js';
import { type Dialect, dialectOfName, mime, mimeTypes, soapFaults } from '../../soap/index.js';
import { endLingering } from '../http/linger.js';
import {
  answerAbruptly,
  answerEmpty,
  answerStatus,
  cutIfBegun,
  printTokenChallenges,
  retryAfter,
} from '../http/refuse.js';
import type { Accepted } from '../http/sentence.js';

/**
 * Answers a SOAP caller whose request came to nothing: the one place where a refusal becomes an
 * envelope.
 */
export function refuseSoap(
  exchange: Exchange,
  response: ServerResponse,
  service: SoapService,
  refusal: Refusal,
): void {
  // WS-Security has a word for it, which stacks know (catalogue K06).
  if (refusal.code === 'UNAUTHENTICATED') {
    const { detail, message: text, tokenChallenges } = refusal;
    refusal = new Refusal('wsse:FailedAuthentication', detail, { text, tokenChallenges });
  }
  exchange.refuse(refusal);
  if (cutIfBegun(exchange, response, refusal)) return;
  const dialect = dialectOfName(exchange.dialect) ?? likelyDialect(response.req, service);
  const status = refusals.wireStatus(refusal, dialect);
  if (!refusals.hasFault(refusal, dialect)) {
    const { isAbrupt, undecodable } = refusal.kind;
    if (isAbrupt === true) {
      answerAbruptly(exchange, response, status);
    } else if (undecodable === true) {
      answerEmpty(exchange, response, status);
    } else if (status === 400 && dialect.undecodable === 'empty 400') {
      // A 400 of the first dialect has no content, whatever is wrong.
      response.shouldKeepAlive = false;
      answerEmpty(exchange, response, status);
    } else {
      answerStatus(exchange, response, refusal, status, acceptedBy(service));
    }
    return;
  }
  const fault = soapFaults.printFault(dialect, refusal, {
    id: exchange.id,
    spoken: service.dialects,
    isExplained: exchange.explainsRefusals,
  });
  const message = exchange.sealFault?.(fault) ?? fault;
  exchange.dialect = dialect.name;
  exchange.faultCode = soapFaults.faultCodeOf(dialect, refusal);
  exchange.bytesOut += message.length;
  const headers = [
    'content-type',
    mimeTypes.printMediaType(dialect, null),
    'content-length',
    String(message.length),
  ];
  headers.push(...retryAfter(refusal), ...printTokenChallenges(refusal));
  endLingering(exchange, response, status, headers, message);
}

const acceptedBy = ({ dialects, mediaTypes }: SoapService): Accepted => ({
  mediaTypes: [...mediaTypes],
  protocol: `SOAP ${ALL.format(dialects.map(({ name }) => name))}`,
});

const ALL = new Intl.ListFormat('en', { type: 'conjunction' });

/**
 * The dialect a caller probably speaks whose message was not readable: the first of its media type.
 */
function likelyDialect(request: IncomingMessage, service: SoapService): Dialect {
  const mediaType = mime.likelyEnvelopeType(request.headers['content-type']);
  const names = service.dialects.map((dialect) => dialect.name);
  return mimeTypes.dialectsOfMediaType(mediaType, names)[0] ?? service.dialects[0];
}
