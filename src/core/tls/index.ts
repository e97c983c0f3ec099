/** Certificates of TLS: elements of DER, their ends, the names of servers. */

export { type DerElement, elementAt, elementsBetween, TAG } from './der.js';
export { certificateEndMillis, earliest, firstEnd } from './first-end.js';
export { checkServerIdentity, VERIFIED_SERVER } from './server-identity.js';
