/** Namespaces of WSDL, XSD and what messages hold of them. */

export {
  isBuiltInNamespace,
  OLDER_XSD,
  SOAP_ENCODINGS,
  WSI_REFERENCES,
  XINCLUDES,
  XMIMES,
  XMLNS,
  XOP,
  XOPS,
  XSD,
} from './namespaces.js';
