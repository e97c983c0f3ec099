import { createHash, type KeyObject } from 'node:crypto';
import type { KeyName } from '../key-info.js';
import { decodeBase64 } from '../strict-elements.js';
import type { ParsedCertificate } from '../x509/certificate-trust.js';
import { nameKey, rfc2253Name } from '../x509/distinguished-name.js';
import { serialText } from '../x509/revocation-list.js';

/** A key that messages are encrypted for, with its certificate. */
export interface DecryptionKey {
  readonly certificate: ParsedCertificate;
  readonly key: KeyObject;
}

/**
 * Those of the keys that a message names: by issuer and serial number, by thumbprint, by subject
 * key identifier, or by the certificate itself, which `tokenOf` finds by its Id.
 */
export function namedKeys(
  keys: readonly DecryptionKey[],
  name: KeyName,
  tokenOf: (id: string) => string | null,
): readonly DecryptionKey[] {
  return keys.filter(({ certificate }) => isNamed(certificate, name, tokenOf));
}

function isNamed(
  { certificate, fields }: ParsedCertificate,
  name: KeyName,
  tokenOf: (id: string) => string | null,
): boolean {
  switch (name.by) {
    case 'token':
      return decodeBase64(tokenOf(name.id) ?? '')?.equals(certificate.raw) === true;
    case 'embedded':
    case 'x509Data':
      return decodeBase64(name.letters)?.equals(certificate.raw) === true;
    case 'issuerSerial': {
      const issuer = nameKey(name.issuer);
      return (
        serialText(certificate.serialNumber) === serialText(name.serial) &&
        issuer !== null &&
        nameKey(rfc2253Name(certificate.issuer)) === issuer
      );
    }
    case 'keyIdentifier':
      return fields.keyIdentifier?.equals(name.identifier) === true;
    case 'thumbprint':
      return createHash('sha1').update(certificate.raw).digest().equals(name.sha1);
    case 'keyValue':
    case 'assertion':
      return false;
  }
}
