/** Namespaces of WS-Security 1.1 and of what it builds on. */
export const WSSE =
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
export const WSSE11 = 'http://docs.oasis-open.org/wss/oasis-wss-wssecurity-secext-1.1.xsd';
export const WSU =
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';
export const DS = 'http://www.w3.org/2000/09/xmldsig#';
export const DS11 = 'http://www.w3.org/2009/xmldsig11#';
export const XENC = 'http://www.w3.org/2001/04/xmlenc#';
export const EXC_C14N = 'http://www.w3.org/2001/10/xml-exc-c14n#';
export const SAML2 = 'urn:oasis:names:tc:SAML:2.0:assertion';
export const SAML1 = 'urn:oasis:names:tc:SAML:1.0:assertion';

const MESSAGE = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0';
const X509 = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-x509-token-profile-1.0';
const USERNAME =
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0';

export const BASE64_BINARY = `${MESSAGE}#Base64Binary`;
export const STR_TRANSFORM = `${MESSAGE}#STR-Transform`;
export const X509_V3 = `${X509}#X509v3`;
export const X509_KEY_IDENTIFIER = `${X509}#X509SubjectKeyIdentifier`;
export const THUMBPRINT =
  'http://docs.oasis-open.org/wss/oasis-wss-soap-message-security-1.1#ThumbprintSHA1';
export const SAML2_ID = 'http://docs.oasis-open.org/wss/oasis-wss-saml-token-profile-1.1#SAMLID';
export const PASSWORD_TEXT = `${USERNAME}#PasswordText`;
export const PASSWORD_DIGEST = `${USERNAME}#PasswordDigest`;
export const ENVELOPED = `${DS}enveloped-signature`;
/** SOAP with Attachments Profile 1.1. */
export const SWA = 'http://docs.oasis-open.org/wss/oasis-wss-SwAProfile-1.1#';
export const ATTACHMENT_CONTENT = `${SWA}Attachment-Content-Signature-Transform`;
