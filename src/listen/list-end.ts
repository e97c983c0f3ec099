import { firstEnd } from '../core/tls/first-end.js';
import { nextUpdate } from '../wss/x509/revocation-list.js';

/**
 * When the first revocation list of a PEM file is due to be replaced (`nextUpdate`); null where
 * none says so.
 */
export const listEndMillis = firstEnd('X509 CRL', nextUpdate);
