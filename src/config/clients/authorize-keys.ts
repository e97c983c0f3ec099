import { TLS_KEYS } from '../backend/upstream-keys.js';
import { HTTP_URL } from '../keys/formats.js';
import { closed, millis, oneOf, optional, text } from '../keys/key-types.js';

/** Keys of a policy decision point. */
export const AUTHORIZE_KEYS = closed(
  {
    url: text('Its address: http://127.0.0.1:8181/v1/data/soapstone/allow.', HTTP_URL),
    timeoutMillis: millis('Time for an answer.', [10, 60_000], 50),
    onError: oneOf(
      ['deny', 'allow'],
      'Whether requests are refused while it does not answer, or pass.',
      'deny',
    ),
    cacheMillis: millis(
      'How long a decision holds for requests with equal input; 0: for one request.',
      [0, 3_600_000],
      0,
    ),
    recheckMillis: millis(
      'How long a subscription goes on before it is asked about again; 0: it is asked about once.',
      [0, 86_400_000],
      300_000,
    ),
    token: optional(
      text('Sent as `Authorization: Bearer`; a file may rotate.', {
        pattern: '^[!-~]{1,8192}$',
        hint: 'Write visible characters of US-ASCII.',
      }),
    ),
    tls: optional({
      ...TLS_KEYS,
      description: 'TLS to it, with the keys of `tls` of a service.',
      like: 'services.tls',
    }),
  },
  'A decision point that is asked about each SOAP call, GraphQL operation, plain route and ' +
    'WSDL, after the rights of the class: the REST interface of Open Policy Agent. Its answer ' +
    'may have `claims` about the caller, and a `reason` for it.',
);
