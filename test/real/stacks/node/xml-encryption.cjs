'use strict';
// `encrypt CERT CIPHER` or `decrypt KEY`, with xml-encryption in the folder XML_ENCRYPTION: from stdin to stdout.
const { createPublicKey } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const { encrypt, decrypt } = require(join(process.env.XML_ENCRYPTION, 'node_modules/xml-encryption'));
const [, , verb, file, cipher] = process.argv;
const text = readFileSync(0, 'utf8');
const pem = readFileSync(file, 'utf8');
const done = (error, result) => {
  if (error) throw error;
  process.stdout.write(result);
};

if (verb === 'encrypt') {
  const options = {
    rsa_pub: createPublicKey(pem).export({ type: 'spki', format: 'pem' }),
    pem,
    encryptionAlgorithm: `http://www.w3.org/2009/xmlenc11#${cipher}`,
    keyEncryptionAlgorithm: 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
  };
  encrypt(text, options, done);
} else {
  decrypt(text, { key: pem }, done);
}
