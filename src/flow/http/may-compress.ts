import type { IncomingMessage } from 'node:http';

import type { Client } from '../../access/client.js';
import { hasAmbientCredentials, takesGzip } from '../../gateway/compress.js';
import { certificateOf } from '../../listen/peer-certificate.js';

/**
 * Whether an answer to this client may be compressed: it takes gzip, and is known by what its
 * browser does not send by itself (BREACH). An address is no credential; a network that has rights
 * is.
 */
export function mayCompress({ headers, socket }: IncomingMessage, { by }: Client): boolean {
  if (!takesGzip(headers['accept-encoding'])) return false;
  if (by === 'address') return certificateOf(socket) === null && !hasAmbientCredentials(headers);
  return SENT_BY_SCRIPT.has(by);
}

/** Credentials that no browser sends by itself. */
const SENT_BY_SCRIPT: ReadonlySet<Client['by']> = new Set(['apiKey', 'jwt', 'introspection']);
