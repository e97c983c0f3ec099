import { oneOf, optional, section } from '../keys/key-types.js';
import { otlpUrl, RECEIVER_KEYS } from './otlp-keys.js';

/** The log: the part of the table of keys for it. */
export const LOG_KEYS = section('Logging, as JSON lines on standard output.', {
  level: oneOf(
    ['debug', 'info', 'warn', 'error'],
    'Least level written. Requests that are answered are `info`, refused ones ' +
      '`warn`, failures `error`.',
    'info',
  ),
  format: oneOf(
    ['json', 'ecs'],
    'Names of the fields of a line: those of the manual, or `ecs`, those of the Elastic Common ' +
      'Schema 8.11, with what it has no name for under `soapstone`.',
    'json',
  ),
  otlp: optional(otlpUrl('lines of the log, besides standard output,', '/v1/logs')),
  ...RECEIVER_KEYS,
});
