import { HTTP_URL } from './formats.js';

/** Keys of a service about the WSDL its backend shows today: the part of the table of keys for it. */
export interface DriftKeys {
  url: string;
  everyMillis: number;
  headers?: Record<string, string>;
}

export const DRIFT_KEYS = {
  type: 'object',
  description:
    'Looks at the WSDL the backend shows and tells, in log and metrics, how it differs from `wsdl`. What is served stays as it is.',
  additionalProperties: false,
  required: ['url', 'everyMillis'],
  properties: {
    url: { type: 'string', description: 'Where the backend shows its WSDL.', ...HTTP_URL },
    headers: {
      type: 'object',
      description: 'Header fields for that host, such as credentials.',
      maxProperties: 32,
      names: 'Write the name of a header field.',
      additionalProperties: false,
      patternProperties: { "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$": { type: 'string', maxLength: 8192 } },
    },
    everyMillis: {
      type: 'integer',
      description: 'Time between two looks.',
      unit: 'millis',
      minimum: 1000,
      maximum: 86_400_000,
      default: 300_000,
    },
  },
} as const;
