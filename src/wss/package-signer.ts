import { Buffer } from 'node:buffer';
import { type PackageType, WholePackage } from '../soap/index.js';
import { type SigningRules, signMessage } from './message-signer.js';

/**
 * Signs the envelope of a package, as `signMessage` does, with the parts that it includes. The
 * signature does not cover further parts. Throws `wsse:UnsupportedAlgorithm`, `MTOM_STRUCTURE`.
 */
export function signPackage(
  bytes: Buffer,
  type: PackageType,
  rules: SigningRules,
  onSigned: (value: Buffer) => void,
): Buffer {
  const whole = new WholePackage(bytes, type);
  const signed = signMessage(whole.envelope, rules, onSigned, (spellings) => whole.find(spellings));
  return Buffer.concat([whole.before, signed, whole.behind]);
}
