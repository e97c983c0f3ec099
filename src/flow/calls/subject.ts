import type { Client } from '../../access/client.js';
import type { SoapService } from '../../compile/soap/service.js';
import type { SubjectToken } from '../../core/index.js';

/**
 * The token of a caller that a call of this service needs; null where it needs none, or the caller
 * has none.
 */
export const subjectOf = (
  { session }: Pick<SoapService, 'session'>,
  client: Client,
): SubjectToken | null =>
  session === null || session.tokensOf === null ? null : client.subjectToken;
