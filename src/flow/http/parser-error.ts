import type { RefusalCode } from '../../base/refusals.js';

/** What Node's parser says of a request it cannot read, where that is not simply a bad request. */
export function codeOfParserError(error: Error, code: string): RefusalCode {
  if (code === 'HPE_HEADER_OVERFLOW') return 'HTTP_HEADER_LIMIT';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'HTTP_TIMEOUT';
  if (code === 'HPE_PAUSED_H2_UPGRADE') return 'HTTP_VERSION';
  // The same code is given for a line that does not end as it must.
  const isVersion = code === 'HPE_INVALID_VERSION' && 'reason' in error && error.reason === 'Invalid HTTP version';
  return isVersion ? 'HTTP_VERSION' : 'HTTP_BAD_REQUEST';
}
