import { Buffer } from 'node:buffer';
import type { Steps } from '../core/index.js';
import { mime } from '../soap/index.js';
import { type SigningRules, signMessage } from './message-signer.js';

/**
 * Signs the envelope of a package, as `signMessage` does, with the parts that it includes. The
 * signature does not cover further parts. Throws `wsse:UnsupportedAlgorithm`, `MTOM_STRUCTURE`.
 */
export function* signPackage(
  bytes: Buffer,
  type: mime.PackageType,
  rules: SigningRules,
  onSigned: (value: Buffer) => void,
): Steps<Buffer> {
  const whole = new mime.PackageEditor(bytes, type);
  yield;
  const signed = yield* signMessage(whole.envelope, rules, onSigned, (spellings) =>
    whole.find(spellings),
  );
  yield;
  return Buffer.concat(whole.written(signed));
}
