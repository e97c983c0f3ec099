/** Certificates: fields, names, revocation lists, digests of signatures. */

export { CertificateTrust, type ParsedCertificate, parseCertificate } from './certificate-trust.js';
export { attributeKeys, configuredNameKey, nameKey, rfc2253Name } from './distinguished-name.js';
export { listsIn, nextUpdate, revokedSerials, serialText } from './revocation-list.js';
export { digestName, isDigestAccepted } from './signature-digest.js';
export { type SignedList, signedListsIn } from './signed-list.js';
