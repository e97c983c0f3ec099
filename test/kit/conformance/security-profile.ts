import { held, left, type Profile } from './conformance.js';

const ENCRYPTION =
  'Body, header blocks, parts of the Security block and attachments are decrypted (`decrypt`) ' +
  'and encrypted (`make.encrypt`), by AES-GCM with RSA-OAEP or ECDH-ES. Other encrypted parts ' +
  'are refused, or pass unread by `encrypted: pass`.';
const DEFAULT =
  'SOAP Message Security 1.1 section 6.3 has Base64Binary as the default; ' +
  'WSS4J refuses its absence. Both spellings mean the same bytes.';
const WIDER =
  'The profile asks for SHA-1 and RSA 1.5, which are broken today: ' +
  'newer algorithms, by closed lists.';

/** WS-I Basic Security Profile 1.1. */
export const SECURITY_PROFILE: Profile = {
  name: 'WS-I Basic Security Profile 1.1',
  source: 'http://www.ws-i.org/Profiles/BasicSecurityProfile-1.1.html',
  rows: [
    held(
      'R3203 R3224 R3222',
      'A Timestamp has one Created, one Expires at most, nothing else.',
      'times',
    ),
    held('R3221', 'Created precedes Expires.', 'times'),
    left('R3220 R3229', 'Three digits of seconds at most.', 'More are read: .NET writes seven.'),
    held('R3213 R3215', 'Seconds are less than 60.', 'times'),
    left(
      'R3225 R3226',
      'No ValueType at Created and Expires.',
      'It is ignored: one form of time is read, whatever it says.',
    ),
    held('R3217 R3223', 'Times are UTC.', 'times'),
    held('R3227', 'One Timestamp in a Security block.', 'wrapping'),
    held('R3206 R3210', 'One Security block for each actor.', 'wrapping'),
    held('R3061', 'A SecurityTokenReference names a token in one way.', 'signed'),
    left(
      'R3074',
      'wsse11:TokenType names the kind of token.',
      'The token itself says it; the attribute is ignored.',
    ),
    held('R3057 R3064 R3056', 'No reference to a reference, none to what is embedded.', 'wrapping'),
    left(
      'R3059',
      'Reference has a ValueType.',
      'Stacks leave it out; the token has its own, which is demanded.',
    ),
    held('R3058', 'ValueType of Reference is that of the token.', 'signed'),
    held('R3062', 'Reference has a URI.', 'signed'),
    held('R3027', 'No KeyName.', 'signed'),
    held('R3054 R3063', 'KeyIdentifier has a known ValueType.', 'signed'),
    left('R3070', 'KeyIdentifier has an EncodingType.', DEFAULT),
    held('R3071', 'EncodingType of KeyIdentifier is Base64Binary.', 'signed'),
    held('R3060 R3025', 'Embedded holds one token, as it is elsewhere.', 'signed'),
    left(
      'R3022 R3023 R3024',
      'Which kind of reference is used where.',
      'A rule for senders: each kind of `keyReferences` is read.',
    ),
    held('R5204', 'References within the message are by Id.', 'wrapping'),
    held('R5205', 'A token precedes its references.', 'wrapping'),
    held('R3066 R3067', 'A reference names a token of its own Security block.', 'wrapping'),
    held('R3211', 'No reference to KeyInfo.', 'wrapping'),
    held(
      'R3102 R3104 R3103',
      'Signatures are detached; that of an assertion is within it.',
      'wrapping',
      'saml',
    ),
    held('R3001 R3003 R3004 R3005', 'References of a signature are by Id.', 'wrapping'),
    left(
      'R3002',
      'XPath Filter 2 for elements without an Id.',
      'Refused: what XPath selects is another element at another reader.',
    ),
    held('R5416 R5411', 'A Reference has Transforms.', 'signed'),
    left(
      'R5423 R5412',
      'Transforms are of a closed list.',
      'The list is shorter: no XPath, no complete attachments.',
    ),
    held(
      'R5407 R5413 R5406 R5414 R5415',
      'PrefixList of exclusive canonicalization, in any order and with any white space.',
      'signed',
    ),
    held('R3065', 'STR-Transform names its canonicalization.', 'signed'),
    held(
      'R5404',
      'Canonicalization is exclusive, without comments; inclusive by name only.',
      'signed',
    ),
    left(
      'R5405 R5408',
      'Prefixes that a sender should list.',
      'A rule for senders. The manual warns of names in content.',
    ),
    left('R5420 R5421', 'Digests and signatures by SHA-1.', WIDER),
    held('R5401', 'No HMACOutputLength.', 'signed'),
    held('R5402', 'KeyInfo has one child.', 'signed'),
    left(
      'R5417',
      'KeyInfo holds a SecurityTokenReference.',
      'X509Data by name, and key values that are known: `keyReferences`, `keyValues`.',
    ),
    held('R5403 R5440', 'No Manifest and no encrypted content in a signature.', 'signed'),
    left(
      'R5441',
      'SignatureConfirmation has an Id.',
      'It is signed by its Id where that is demanded.',
    ),
    left(
      'R3228 R3299 R3230 R3232 R3205 R3231 R3214 R3208 R3209 R5622 R5623 R5602 R5603 R5629 ' +
        'R5624 R5627 R5601 R5424 R5426 R5608 R3006 R5613 R3007 R5620 R5621 ' +
        'R5625 R5626 R5614 R5606',
      'XML Encryption.',
      ENCRYPTION,
    ),
    left('R3029', 'BinarySecurityToken has an EncodingType.', DEFAULT),
    held('R3030', 'EncodingType of BinarySecurityToken is Base64Binary.', 'signed'),
    held('R3031 R3032', 'BinarySecurityToken has the ValueType of X.509.', 'signed'),
    held('R4222', 'A UsernameToken has one Password at most.', 'users'),
    left(
      'R4201',
      'Password has a Type.',
      'Without one it is PasswordText, as the token profile says.',
    ),
    held('R4212', 'PasswordDigest is of Nonce, Created and the password.', 'users'),
    left(
      'R4216 R4217 R4218',
      'Keys that are derived from a password.',
      'Not supported: refused as an unsupported token.',
    ),
    held('R4223 R4225', 'One Created and one Nonce at most.', 'users'),
    left(
      'R4220 R4221',
      'Nonce has an EncodingType, Base64Binary.',
      'Without one it is Base64Binary; another one is refused.',
    ),
    left(
      'R4214 R4215',
      'References to a UsernameToken.',
      'None signs: a key is a certificate, or one that is known.',
    ),
    held(
      'R3033 R5218',
      'A token of X.509 is one certificate, with its ValueType.',
      'signed',
      'signers',
    ),
    left(
      'R5201 R5202 R5211 R5212 R5213 R5214 R5215 R5216',
      'Paths of certificates in messages: PKCS 7, PKIPath.',
      'Messages bring no authorities: `intermediates` names them.',
    ),
    held(
      'R5206 R5208 R5209 R5210 R5409',
      'Subject key identifier, thumbprint, issuer and number.',
      'signed',
    ),
    held('R6602 R6605 R6616', 'An assertion of SAML 2.0 is named by its ID.', 'saml'),
    left(
      'R6601 R6604 R6608 R6610 R6612 R6614 R6617',
      'Forms of references to assertions in the message.',
      'A reference names the assertion by its ID; its other attributes are ignored.',
    ),
    left(
      'R6603 R6606 R6607 R6609 R6611 R6613',
      'SAML 1.1 and assertions that are elsewhere.',
      'SAML 2.0 in the message only.',
    ),
    left('R6301 R6302 R6304', 'REL tokens.', 'Not supported: refused as an unsupported token.'),
    left(
      'R6902 R6903 R6904 R6905 R6906 R6907',
      'Kerberos tokens.',
      'Kerberos is spoken over HTTP (Negotiate), not in messages.',
    ),
    left('R3069 R3072', 'References to encrypted keys.', ENCRYPTION),
    held(
      'SwA',
      'Signed attachments, by their content; by their Include, as MTOM has them.',
      'attachments',
    ),
  ],
};

/** OWASP Cheat Sheet Series: Web Service Security. */
export const OWASP: Profile = {
  name: 'OWASP Web Service Security Cheat Sheet',
  source: 'https://cheatsheetseries.owasp.org/cheatsheets/Web_Service_Security_Cheat_Sheet.html',
  rows: [
    held('transport-confidentiality', 'TLS for what is confidential.', 'tls'),
    held(
      'server-authentication',
      'The certificate of a server is verified: chain, name, time and revocation.',
      'upstreamTls',
    ),
    left(
      'user-authentication/1',
      'Basic authentication over TLS alone.',
      '`check` warns of credentials in clear text; they are not refused.',
    ),
    held('user-authentication/2', 'Certificates of clients, where appropriate.', 'certificates'),
    left(
      'transport-encoding',
      'Client and server have the same encoding style.',
      'SOAP encodings are read as the WSDL names them, and bounded.',
    ),
    held('message-integrity', 'Signatures of XML, by the key of the sender.', 'signed', 'wrapping'),
    held('message-confidentiality/1', 'Encryption of the transport or of the message.', 'tls'),
    left('message-confidentiality/2', 'Encryption that lasts at rest.', ENCRYPTION),
    held('authorization/1', 'Each request, by the caller and the operation.', 'rights'),
    held('authorization/2', 'Administration is apart from the service.', 'secrets'),
    held('schema-validation/1', 'Payloads are validated by the XSD.', 'validity', 'content'),
    left(
      'schema-validation/2 schema-validation/3',
      'The XSD bounds lengths and characters, and has patterns for fixed formats.',
      'A rule for the XSD. The facets that it has are enforced.',
    ),
    held(
      'content-validation',
      'Malformed XML, entities within and without, and values that are no valid ones.',
      'xml',
      'validity',
    ),
    held('output-encoding', 'What is answered is data.', 'outputs'),
    left(
      'virus-protection/1 virus-protection/2',
      'Attachments are scanned.',
      'No scanner is part of the gateway: `clients.authorize` or the backend.',
    ),
    held('message-size', 'Messages are bounded.', 'long'),
    held('resources-limiting/1', 'The time of the processor is bounded.', 'flood'),
    held('resources-limiting/2', 'Memory is bounded.', 'uploads'),
    held('resources-limiting/3', 'Connections are bounded.', 'connections'),
    held('message-throughput', 'Throughput under load.', 'flood'),
    held(
      'xml-denial-of-service-protection/1 xml-denial-of-service-protection/3',
      'Recursive payloads and expanded entities.',
      'xml',
    ),
    held(
      'xml-denial-of-service-protection/2 xml-denial-of-service-protection/4',
      'Oversized payloads and names.',
      'long',
    ),
    left(
      'endpoint-security-profile',
      'WS-I Basic Profile.',
      'This page has its rules; `check` names what a WSDL breaks.',
    ),
  ],
};
