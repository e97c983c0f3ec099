import { fileURLToPath } from 'node:url';
import { inputFiles } from '../../core/index.js';
import type { DocumentSource, Located, Refused } from './document-source.js';

const OASIS = 'http://docs.oasis-open.org';
const WSS = `${OASIS}/wss/2004/01/oasis-200401-wss-wssecurity`;

/** The files of `schemas/`, by the target namespace of each. */
export const WELL_KNOWN: ReadonlyMap<string, string> = new Map([
  ['http://schemas.xmlsoap.org/soap/envelope/', 'soap-envelope-1.1.xsd'],
  ['http://www.w3.org/2003/05/soap-envelope', 'soap-envelope-1.2.xsd'],
  ['http://schemas.xmlsoap.org/ws/2004/08/addressing', 'ws-addr-200408.xsd'],
  ['http://www.w3.org/2005/08/addressing', 'ws-addr.xsd'],
  ['http://www.w3.org/2006/05/addressing/wsdl', 'ws-addr-wsdl.xsd'],
  ['http://schemas.xmlsoap.org/ws/2004/09/policy', 'ws-policy.xsd'],
  ['http://www.w3.org/2000/09/xmldsig#', 'xmldsig-core-schema.xsd'],
  ['http://www.w3.org/2009/xmldsig11#', 'xmldsig11-schema.xsd'],
  ['http://www.w3.org/2001/04/xmlenc#', 'xenc-schema.xsd'],
  ['http://www.w3.org/2009/xmlenc11#', 'xenc-schema-11.xsd'],
  [`${WSS}-secext-1.0.xsd`, 'oasis-200401-wss-wssecurity-secext-1.0.xsd'],
  [`${WSS}-utility-1.0.xsd`, 'oasis-200401-wss-wssecurity-utility-1.0.xsd'],
  [`${OASIS}/wss/oasis-wss-wssecurity-secext-1.1.xsd`, 'oasis-wss-wssecurity-secext-1.1.xsd'],
  [`${OASIS}/ws-sx/ws-trust/200512/`, 'ws-trust-1.3.xsd'],
  [`${OASIS}/wsn/b-2`, 'b-2.xsd'],
  [`${OASIS}/wsn/br-2`, 'br-2.xsd'],
  [`${OASIS}/wsn/t-1`, 't-1.xsd'],
  [`${OASIS}/wsn/bw-2`, 'bw-2.wsdl'],
  [`${OASIS}/wsn/brw-2`, 'brw-2.wsdl'],
  [`${OASIS}/wsrf/bf-2`, 'bf-2.xsd'],
  [`${OASIS}/wsrf/r-2`, 'r-2.xsd'],
  [`${OASIS}/wsrf/rp-2`, 'rp-2.xsd'],
  [`${OASIS}/wsrf/rw-2`, 'rw-2.wsdl'],
  [`${OASIS}/wsrf/rpw-2`, 'rpw-2.wsdl'],
  [`${OASIS}/ws-dd/ns/discovery/2009/01`, 'wsdd-discovery-1.1-schema-os.xsd'],
  ['http://schemas.xmlsoap.org/ws/2005/04/discovery', 'ws-discovery-200504.xsd'],
  ['urn:oasis:names:tc:SAML:1.0:assertion', 'oasis-sstc-saml-schema-assertion-1.1.xsd'],
  ['urn:oasis:names:tc:SAML:1.0:protocol', 'oasis-sstc-saml-schema-protocol-1.1.xsd'],
  ['urn:oasis:names:tc:SAML:2.0:assertion', 'saml-schema-assertion-2.0.xsd'],
  ['urn:oasis:names:tc:SAML:2.0:metadata', 'saml-schema-metadata-2.0.xsd'],
  ['urn:oasis:names:tc:SAML:2.0:protocol', 'saml-schema-protocol-2.0.xsd'],
]);

const FOLDER = new URL('schemas/', inputFiles.PACKAGE_FOLDER);

const LOCATION = 'soapstone/schemas/';

/** Whether a document is one of the copies, by its location. */
export const isWellKnown = (location: string): boolean => location.startsWith(LOCATION);

/** Locates the copy of a public document by its target namespace; null where Soapstone has none. */
export function wellKnownIn(
  namespace: string,
): (Located & { readonly kind: 'wsdl' | 'schema' }) | null {
  const name = WELL_KNOWN.get(namespace);
  if (name === undefined) return null;
  const kind = name.endsWith('.wsdl') ? 'wsdl' : 'schema';
  return { location: LOCATION + name, key: fileURLToPath(new URL(name, FOLDER)), kind };
}

/** Opens the copies; their own references are resolved by namespace, never by location. */
export function wellKnownSource(inputs: inputFiles.Inputs): DocumentSource {
  const refused: Refused = {
    what: 'The copy of a public schema cannot be read.',
    remedy: 'Install Soapstone again.',
  };
  return {
    locate: async () => refused,
    async open({ key, location }) {
      const bytes = await inputs.readFile(key).catch(() => null);
      return bytes === null ? refused : { bytes, base: location, charset: null };
    },
  };
}
