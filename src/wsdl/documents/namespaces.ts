/** The namespaces of WSDL, XSD and their extensions. */
export const WSDL = 'http://schemas.xmlsoap.org/wsdl/';
export const WSDL_20 = 'http://www.w3.org/ns/wsdl';
export const WSDL_SOAP11 = 'http://schemas.xmlsoap.org/wsdl/soap/';
export const WSDL_SOAP12 = 'http://schemas.xmlsoap.org/wsdl/soap12/';
export const WSDL_HTTP = 'http://schemas.xmlsoap.org/wsdl/http/';
export const WSDL_MIME = 'http://schemas.xmlsoap.org/wsdl/mime/';
export const XSD = 'http://www.w3.org/2001/XMLSchema';
/** Drafts of XML Schema that the first stacks took their types from. */
export const OLDER_XSD: readonly string[] = [
  'http://www.w3.org/1999/XMLSchema',
  'http://www.w3.org/2000/10/XMLSchema',
];
export const XSI = 'http://www.w3.org/2001/XMLSchema-instance';
export const XML = 'http://www.w3.org/XML/1998/namespace';
export const XMLNS = 'http://www.w3.org/2000/xmlns/';
export const WSA_10 = 'http://www.w3.org/2005/08/addressing';
const XMIME = 'http://www.w3.org/2005/05/xmlmime';
/** All ways in which stacks write it. */
export const XMIMES: readonly string[] = [XMIME, `${XMIME}/`, 'https://www.w3.org/2005/05/xmlmime'];
export const XOP = 'http://www.w3.org/2004/08/xop/include';
/** All ways in which stacks write it. */
export const XOPS: readonly string[] = [XOP, 'https://www.w3.org/2004/08/xop/include'];
/**
 * The namespaces of XInclude that processors take: its recommendation, and the drafts that libxml2
 * and Xerces know.
 */
export const XINCLUDES: readonly string[] = [
  'http://www.w3.org/2001/XInclude',
  'http://www.w3.org/2003/XInclude',
  'http://www.w3.org/1999/XML/xinclude',
];
/**
 * The namespace that defines `swaRef`: a reference to an attachment (WS-I Attachments Profile 1.0
 * section 4.4).
 */
export const WSI_REFERENCES = 'http://ws-i.org/profiles/basic/1.1/xsd';
export const SOAP_ENCODINGS: readonly string[] = [
  'http://schemas.xmlsoap.org/soap/encoding/',
  'http://www.w3.org/2003/05/soap-encoding',
  'http://www.w3.org/2001/12/soap-encoding',
  'http://www.w3.org/2001/06/soap-encoding',
  'http://www.w3.org/2001/09/soap-encoding',
  'http://www.w3.org/2002/06/soap-encoding',
  'http://www.w3.org/2002/12/soap-encoding',
];

/**
 * Namespaces whose components are built in (`builtin.ts`): their schemas are never needed and never
 * trusted.
 */
const BUILT_IN: ReadonlySet<string> = new Set([
  XSD,
  XML,
  ...XMIMES,
  ...XOPS,
  WSI_REFERENCES,
  ...OLDER_XSD,
  ...SOAP_ENCODINGS,
]);

export const isBuiltInNamespace = (uri: string): boolean => BUILT_IN.has(uri);
export const isSoapBindingNamespace = (uri: string): boolean =>
  uri === WSDL_SOAP11 || uri === WSDL_SOAP12;
