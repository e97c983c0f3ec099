import { firstEnd } from '../core/index.js';
import { nextUpdate } from '../wss/index.js';

/**
 * When the first revocation list of a PEM file is due to be replaced (`nextUpdate`); null where
 * none says so.
 */
export const listEndMillis = firstEnd('X509 CRL', nextUpdate);
