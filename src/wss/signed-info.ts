import type { Buffer } from 'node:buffer';
import type { KeyObject } from 'node:crypto';

import { canonical } from '../xml/index.js';
import { isSignatureOf } from './algorithms.js';
import { BytesSink } from './digest-sink.js';
import { inheritedBy } from './reference-digest.js';
import { failedCheck } from './security-refusals.js';
import type { SignatureForm } from './signature-form.js';

/**
 * Verifies the SignatureValue over SignedInfo, which it returns in canonical form. Throws
 * `wsse:FailedCheck`.
 */
export function verifySignedInfo(
  { signedInfo, method, algorithm, value }: SignatureForm,
  key: KeyObject,
): Buffer {
  const sink = new BytesSink();
  canonical.writeTree(
    signedInfo,
    new canonical.CanonicalWriter(method, sink, inheritedBy(method.kind, signedInfo.parent)),
  );
  const signed = sink.bytes();
  if (!isSignatureOf(algorithm, key, signed, value)) throw failedCheck('the SignatureValue');
  return signed;
}
