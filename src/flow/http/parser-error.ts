import type { HttpLimits } from '../../config/listen/http-limits.js';
import { Refusal, refuseByLimit } from '../../core/index.js';

/**
 * The refusal of a request that Node's parser cannot read, or that exceeds one of its timeouts.
 * `hasHead`: the header of the request is complete.
 */
export function parserRefusal(
  error: Error,
  code: string,
  limits: HttpLimits,
  hasHead: boolean,
): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return refuseByLimit(
      'HTTP_HEADER_LIMIT',
      'limits.http.headerBytes',
      limits.headerBytes,
      null,
      code,
    );
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    const { headerMillis, totalMillis } = limits;
    return hasHead || totalMillis < headerMillis
      ? refuseByLimit('HTTP_TIMEOUT', 'limits.http.totalMillis', totalMillis, null, code)
      : refuseByLimit('HTTP_TIMEOUT', 'limits.http.headerMillis', headerMillis, null, code);
  }
  if (code === 'HPE_PAUSED_H2_UPGRADE') return new Refusal('HTTP_VERSION', code);
  // A line without its proper end has the same code.
  const isVersion =
    code === 'HPE_INVALID_VERSION' && 'reason' in error && error.reason === 'Invalid HTTP version';
  return new Refusal(isVersion ? 'HTTP_VERSION' : 'HTTP_BAD_REQUEST', code);
}
