import { TLS_KEYS } from '../backend/upstream-keys.js';
import { HTTP_URL } from '../keys/formats.js';
import { closed, integer, oneOf, optional, string } from '../keys/key-types.js';

/** Keys of a policy decision point. */
export const AUTHORIZE_KEYS = closed(
  {
    url: string({ description: 'Its address: http://127.0.0.1:8181/v1/data/soapstone/allow.', ...HTTP_URL }),
    timeoutMillis: integer({
      description: 'Time for an answer.',
      unit: 'millis',
      minimum: 10,
      maximum: 60_000,
      default: 50,
    }),
    onError: oneOf(['deny', 'allow'], {
      description: 'Whether requests are refused while it does not answer, or pass.',
      default: 'deny',
    }),
    cacheMillis: integer({
      description: 'How long a decision holds for requests with equal input; 0: for one request.',
      unit: 'millis',
      minimum: 0,
      maximum: 3_600_000,
      default: 0,
    }),
    recheckMillis: integer({
      description: 'How long a subscription goes on before it is asked about again; 0: it is asked about once.',
      unit: 'millis',
      minimum: 0,
      maximum: 86_400_000,
      default: 300_000,
    }),
    token: optional(
      string({
        description: 'Sent as `Authorization: Bearer`; a file may rotate.',
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
  {
    description:
      'A decision point that is asked about each SOAP call, GraphQL operation, plain route and WSDL, after the rights of the class: the REST interface of Open Policy Agent.',
  },
);
