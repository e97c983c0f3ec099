import { X509Certificate } from 'node:crypto';

import { firstEnd } from './first-end.js';

/** When the first certificate of a PEM text ends; null where it has none that can be read. */
export const certificateEndMillis = firstEnd('CERTIFICATE', (certificate) => {
  try {
    return Date.parse(new X509Certificate(certificate).validTo);
  } catch {
    return null;
  }
});
