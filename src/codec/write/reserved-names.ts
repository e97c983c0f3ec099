import { dialectOfUri } from '../../soap/index.js';
import { namespaces } from '../../wsdl/index.js';
import type { QName } from '../../xml/index.js';
import { type InputPath, refuseInput } from './input-error.js';

/**
 * Refuses the name of an element, an attribute or a type that a caller chose, where it is the
 * gateway's to write: names of the envelope, of XOP, and of XInclude, which would fetch documents.
 * Throws `InputError`.
 */
export function refuseReserved(uri: string, path: InputPath): void {
  if (namespaces.XINCLUDES.includes(uri)) {
    refuseInput(path, 'must not include other documents');
  }
  if (dialectOfUri(uri) !== null || SOAP_DRAFTS.test(uri) || namespaces.XOPS.includes(uri)) {
    refuseInput(path, 'must not hold names of SOAP itself');
  }
  if (uri === namespaces.XMLNS) {
    refuseInput(path, NOT_DECLARED);
  }
}

/**
 * As `refuseReserved`, for elements and attributes. The names of the SOAP encoding are those of
 * values only in a message that is encoded.
 */
export function refuseReservedContent(uri: string, isEncoded: boolean, path: InputPath): void {
  refuseReserved(uri, path);
  if (!isEncoded && namespaces.SOAP_ENCODINGS.includes(uri)) {
    refuseInput(path, 'must not hold names of the SOAP encoding, which this message does not use');
  }
}

/**
 * Refuses an attribute that would declare a namespace (Namespaces in XML 1.0 section 3). Throws
 * `InputError`.
 */
export function refuseDeclaration({ uri, local }: QName, path: InputPath): void {
  if (uri === '' && local === 'xmlns') {
    refuseInput(path, NOT_DECLARED);
  }
}

/** Drafts of SOAP 1.2 that old stacks still speak. */
const SOAP_DRAFTS = /^http:\/\/www\.w3\.org\/200[12]\/[01][0-9]\/soap-envelope$/;

const NOT_DECLARED =
  'must not declare a namespace: write {namespace}name as the name of the element';
