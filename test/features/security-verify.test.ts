import { createHmac, X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { Authority, makeKeys, RSA_KEY, WITH_OPENSSL } from '../kit/certificates.js';
import { postSoap, SOAP_12 } from '../kit/envelope.js';
import {
  bodyOf,
  DS,
  EXCLUSIVE,
  keyByToken,
  messageOf,
  securityOf,
  signatureOf,
  signedMessage,
  timestampOf,
  tokenOf,
  toOf,
  USUAL_TRANSFORMS,
  WSSE,
  WSU,
} from '../kit/signed-message.js';
import { useFolder } from '../kit/use.js';
import { useVerifyingDesk } from '../kit/verifying-desk.js';

const CONTENT = '<Pay xmlns="urn:desk"><sum>10</sum></Pay>';

const PEMS = (folder: string): string => `signature:
  authorities: { file: ${join(folder, 'ca.pem')} }
  subjects: ["OU=Clients"]
  required: [Body, Timestamp]`;

function makeClient(t: Test) {
  const { folder, authority, identity: client } = makeKeys(t, '/O=Bank/OU=Clients/CN=erp');
  return { folder, authority, client };
}

t.test(
  'a signed message passes byte for byte, in both versions, by each kind of key',
  WITH_OPENSSL,
  async (t) => {
    const { folder, authority, client } = makeClient(t);
    const desk = await useVerifyingDesk(t, PEMS(folder));
    const { message } = signedMessage(client, CONTENT);
    t.equal(await desk.send(message), null);
    t.equal(String(desk.received.at(-1)?.body), message);
    const body = bodyOf(CONTENT, 'body', SOAP_12);
    const timestamp = timestampOf(Date.now());
    const parts = [
      { uri: '#body', text: body },
      { uri: '#ts', text: timestamp },
    ];
    const second = messageOf(
      securityOf([tokenOf(client), timestamp, signatureOf(client, parts)]),
      body,
      '',
      SOAP_12,
    );
    t.equal(await desk.send(second), null);
    const kinds = [
      ['rsa-sha512', RSA_KEY],
      ['rsa-pss-sha256', RSA_KEY],
      ['ecdsa-sha256', ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']],
      ['ecdsa-sha384', ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384', '-nodes']],
      ['ecdsa-sha512', ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-521', '-nodes']],
      ['ed25519', ['-newkey', 'ed25519', '-nodes']],
    ] as const;
    for (const [algorithm, newKey] of kinds) {
      const identity = authority.sign(
        algorithm,
        30,
        `/OU=Clients/CN=${algorithm}`,
        'DNS:a',
        newKey,
      );
      t.equal(
        await desk.send(signedMessage(identity, CONTENT, { algorithm }).message),
        null,
        algorithm,
      );
    }
  },
);

t.test(
  'signers must have an authority, a subject, a valid time, a key that is long enough',
  WITH_OPENSSL,
  async (t) => {
    const { folder, authority, client } = makeClient(t);
    const known = authority.sign('known', 30, '/OU=Clients/CN=known', 'DNS:a', RSA_KEY);
    writeFileSync(join(folder, 'known.pem'), known.cert);
    writeFileSync(join(folder, 'crl.pem'), authority.revoke([]));
    const desk = await useVerifyingDesk(
      t,
      `${PEMS(folder)}\n  revocations: { file: ${join(folder, 'crl.pem')} }\n  known: { file: ` +
        `${join(folder, 'known.pem')} }`,
    );
    const strangers = new Authority(await useFolder(t), 'authority');
    for (const [name, signer] of [
      [
        'another authority of the same name',
        strangers.sign('erp', 30, '/OU=Clients/CN=erp', 'DNS:a', RSA_KEY),
      ],
      ['another subject', authority.sign('guest', 30, '/OU=Guests/CN=erp', 'DNS:a', RSA_KEY)],
      [
        '1024 bits',
        authority.sign('short', 30, '/OU=Clients/CN=short', 'DNS:a', [
          '-newkey',
          'rsa:1024',
          '-nodes',
        ]),
      ],
    ] as const)
      t.equal(
        await desk.send(signedMessage(signer, CONTENT).message),
        'wsse:FailedAuthentication',
        name,
      );
    t.equal(await desk.send(signedMessage(client, CONTENT).message), null);
    const byCa = signedMessage({ ...authority.ca }, CONTENT, { algorithm: 'ecdsa-sha256' });
    t.equal(
      await desk.send(byCa.message),
      'wsse:FailedAuthentication',
      'the authority itself is no client',
    );
    const certificate = new X509Certificate(known.cert);
    const serial = BigInt(`0x${certificate.serialNumber}`).toString();
    const issuerSerial =
      '<ds:X509Data><ds:X509IssuerSerial><ds:X509IssuerName>CN=authority</ds:X509IssuerName>' +
      `<ds:X509SerialNumber>${serial}</ds:X509SerialNumber></ds:X509IssuerSerial></ds:X509Data>`;
    const reference = (inner: string): string =>
      `<wsse:SecurityTokenReference xmlns:wsse="${WSSE}">${inner}</wsse:SecurityTokenReference>`;
    const thumbprint = certificate.fingerprint.replaceAll(':', '');
    const byThumbprint =
      '<wsse:KeyIdentifier ValueType="http://docs.oasis-open.org/wss/oasis-wss-soap-message-security-1.1#ThumbprintSHA1">' +
      `${Buffer.from(thumbprint, 'hex').toString('base64')}</wsse:KeyIdentifier>`;
    const embedded = `<wsse:Embedded>${tokenOf(known, 'embedded')}</wsse:Embedded>`;
    for (const [name, keyInfo] of [
      ['issuer and serial', reference(issuerSerial)],
      ['thumbprint', reference(byThumbprint)],
      ['embedded', reference(embedded)],
    ] as const) {
      t.equal(await desk.send(signedMessage(known, CONTENT, { keyInfo }).message), null, name);
      const forged = signedMessage(client, CONTENT, { keyInfo });
      t.equal(
        await desk.send(forged.message),
        'wsse:FailedCheck',
        `${name}: signed by another key`,
      );
    }
    const unknown = reference(issuerSerial.replace(serial, '12345'));
    const bare =
      `<ds:X509Data><ds:X509Certificate>${known.cert.replace(/-----[A-Z ]+-----|\n/g, '')}` +
      '</ds:X509Certificate></ds:X509Data>';
    const jwk = certificate.publicKey.export({ format: 'jwk' });
    const letters = (value: string | undefined): string =>
      Buffer.from(value ?? '', 'base64url').toString('base64');
    const keyValue =
      `<ds:KeyValue><ds:RSAKeyValue><ds:Modulus>${letters(jwk.n)}</ds:Modulus><ds:Exponent>` +
      `${letters(jwk.e)}</ds:Exponent></ds:RSAKeyValue></ds:KeyValue>`;
    for (const [name, keyInfo, code] of [
      ['another serial', unknown, 'wsse:SecurityTokenUnavailable'],
      ['bare X509Data', bare, 'wsse:UnsupportedSecurityToken'],
      ['KeyValue', keyValue, 'wsse:UnsupportedSecurityToken'],
    ] as const)
      t.equal(await desk.send(signedMessage(known, CONTENT, { keyInfo }).message), code, name);
  },
);

t.test(
  'a revoked certificate and a list that is out of date end the trust',
  WITH_OPENSSL,
  async (t) => {
    const { folder, authority, client } = makeClient(t);
    const other = authority.sign('other', 30, '/OU=Clients/CN=other', 'DNS:a', RSA_KEY);
    writeFileSync(join(folder, 'crl.pem'), authority.revoke(['other']));
    const desk = await useVerifyingDesk(
      t,
      `${PEMS(folder)}\n  revocations: { file: ${join(folder, 'crl.pem')} }`,
    );
    t.equal(await desk.send(signedMessage(client, CONTENT).message), null);
    t.equal(await desk.send(signedMessage(other, CONTENT).message), 'wsse:FailedAuthentication');
    writeFileSync(join(folder, 'crl.pem'), authority.revoke(['own']));
    let code: string | null = null;
    for (let tries = 0; code === null && tries < 100; tries++) {
      code = await desk.send(signedMessage(client, CONTENT).message);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    t.equal(code, 'wsse:FailedAuthentication', 'the file was replaced');
  },
);

t.test('every way to wrap, to alter or to confuse is refused', WITH_OPENSSL, async (t) => {
  const { folder, client } = makeClient(t);
  const desk = await useVerifyingDesk(
    t,
    `${PEMS(folder).replace('Timestamp]', 'Timestamp, "{http://www.w3.org/2005/08/addressing}To"]')}`,
  );
  const evil = '<Pay xmlns="urn:desk"><sum>9999</sum></Pay>';
  const body = bodyOf(CONTENT);
  const timestamp = timestampOf(Date.now());
  const to = toOf('http://www.w3.org/2005/08/addressing/anonymous');
  const token = tokenOf(client);
  const usual = [
    { uri: '#body', text: body },
    { uri: '#ts', text: timestamp },
    { uri: '#to', text: to },
  ];
  const signature = signatureOf(client, usual);
  const security = securityOf([token, timestamp, signature]);
  const good = messageOf(security, body, to);
  t.equal(await desk.send(good), null, 'as it was signed');
  const commented = await postSoap(
    `${desk.gateway.url}/soap/desk`,
    good.replace('>10<', '>1<!-- -->0<'),
  );
  t.match(await commented.text(), /holds a comment beside its text/, 'no digest is blamed');
  const twice = securityOf([
    token,
    timestamp,
    signature,
    signatureOf(client, [{ uri: '#body', text: body }]),
  ]);
  t.equal(await desk.send(messageOf(twice, body, to)), null, 'a further signature over Body');
  const wrapper = (inner: string): string => `<w:Wrapper xmlns:w="urn:w">${inner}</w:Wrapper>`;
  const unsignedTimestamp = timestampOf(Date.now(), Date.now() + 200_000, 'other');
  const evilBody = bodyOf(evil, 'evil');
  const sign = (
    parts: Parameters<typeof signatureOf>[1],
    options: Parameters<typeof signatureOf>[2] = {},
  ): string =>
    messageOf(securityOf([token, timestamp, signatureOf(client, parts, options)]), body, to);
  const methods = (canonicalization: string, method: string): string =>
    `<ds:CanonicalizationMethod Algorithm="${canonicalization}"></ds:CanonicalizationMethod>` +
    `<ds:SignatureMethod Algorithm="${method}"></ds:SignatureMethod>`;
  const RSA = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
  const transform = (algorithm: string, inner = ''): string =>
    `<ds:Transforms><ds:Transform Algorithm="${algorithm}">${inner}</ds:Transform></ds:Transforms>`;
  const [bodyPart, timestampPart, toPart] = usual as [
    (typeof usual)[0],
    (typeof usual)[0],
    (typeof usual)[0],
  ];
  const rest = [timestampPart, toPart];
  /** The message whose Security block has these parts behind its token and its Timestamp. */
  const secured = (...parts: readonly string[]): string =>
    messageOf(securityOf([token, timestamp, ...parts]), body, to);
  const bodyBy = (transforms: string) => sign([...rest, { ...bodyPart, transforms }]);
  const twiceAs = (element: string): string =>
    good.replace(new RegExp(`(<ds:${element}\\b.*</ds:${element}>)`), '$1$1');
  const otherId = (attribute: string): string =>
    messageOf(security, body, `${to}<x:y xmlns:x="urn:x" ${attribute}/>`);
  const TO =
    '<wsa:To xmlns:wsa="http://www.w3.org/2005/08/addressing">' +
    'http://www.w3.org/2005/08/addressing/anonymous</wsa:To>';
  const enveloped = USUAL_TRANSFORMS.replace(
    '<ds:Transform ',
    `<ds:Transform Algorithm="${DS}enveloped-signature"></ds:Transform>$&`,
  );
  const actor = ' xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" s:actor="urn:other"';
  const hmac = methods(EXCLUSIVE, 'http://www.w3.org/2001/04/xmldsig-more#hmac-sha256').replace(
    'hmac-sha256">',
    '$&<ds:HMACOutputLength>8</ds:HMACOutputLength>',
  );
  const references = (length: number): string =>
    sign(Array.from({ length }, (_, index) => ({ uri: `#a${index}`, text: '' })));
  const longer = (letters: string): string =>
    Buffer.concat([Buffer.from(letters, 'base64'), Buffer.from('xx')]).toString('base64');
  const vectors: readonly (readonly [
    code: string | RegExp,
    messages: Readonly<Record<string, string>>,
  ])[] = [
    [
      'wsse:FailedCheck',
      {
        'a changed Body': good.replace('>10<', '>11<'),
        'a changed To': good.replace('anonymous</', 'Anonymous</'),
        'white space added': good.replace('<sum>', '<sum> '),
        'a namespace injected': good.replace('<Pay xmlns="urn:desk">', '<Pay xmlns="urn:Desk">'),
        'an attribute added to Body': good.replace('wsu:Id="body"', 'wsu:Id="body" wsu:x="1"'),
        'a comment in a signed text': good.replace('>10<', '>1<!-- -->0<'),
        'a comment in the text of a signed header block': good.replace(
          'anonymous</',
          'anon<!-- -->ymous</',
        ),
        'a signature that is not right beside one that is': secured(
          signature,
          signatureOf(client, [{ uri: '#to', text: 'other' }]),
        ),
        'a further signature over another Body': secured(
          signature,
          signatureOf(client, [{ uri: '#body', text: bodyOf(evil) }]),
        ),
        'an algorithm of another kind of key': sign(usual, {
          methods: methods(EXCLUSIVE, 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256'),
        }),
      },
    ],
    [
      'wsse:InvalidSecurity',
      {
        'a comment in DigestValue': good.replace('<ds:DigestValue>', '<ds:DigestValue><!-- -->'),
        'a comment in Security': good.replace('<ds:KeyInfo>', '<!-- --><ds:KeyInfo>'),
        'no Security block': messageOf('', body, to),
        'no Header': good.replace(/<s:Header>.*<\/s:Header>/, ''),
        'no signature': secured(),
        'the Body moved into Header': messageOf(security, evilBody, to + wrapper(body)),
        'the Body moved into an Object': messageOf(
          securityOf([
            token,
            timestamp,
            signature.replace('</ds:Signature>', `<ds:Object>${body}</ds:Object>$&`),
          ]),
          evilBody,
          to,
        ),
        'the Body moved into an evil Body': messageOf(security, bodyOf(wrapper(body), 'evil'), to),
        'the Body moved behind an evil child': messageOf(
          security,
          `<s:Body>${evil}${body}</s:Body>`,
          to,
        ),
        'a second Body before': messageOf(security, evilBody + body, to),
        'the Timestamp wrapped': messageOf(
          securityOf([token, unsignedTimestamp, signature]),
          body,
          to + wrapper(timestamp),
        ),
        'the To wrapped': messageOf(security, body, wrapper(to) + TO),
        'a Security block for another role alone': messageOf(
          securityOf([token, timestamp, signature], actor),
          body,
          to,
        ),
        'Body is not signed': sign(rest),
        'Timestamp is not signed': sign([bodyPart, toPart]),
        'two signatures that cover a part each': secured(
          signatureOf(client, [bodyPart, timestampPart]),
          signatureOf(client, [toPart]),
        ),
        'four signatures': secured(signature, signature, signature, signature),
        'two SignedInfo': twiceAs('SignedInfo'),
        'two SignatureValue': twiceAs('SignatureValue'),
        'a Reference to nothing': sign([...usual, { uri: '#none', text: '' }]),
        'an empty URI': sign([...usual, { uri: '', text: '' }]),
        'a missing URI': good.replace(' URI="#body"', ''),
        'an XPointer': sign([...rest, { ...bodyPart, uri: "#xpointer(id('body'))" }]),
        'an external Reference': sign([...usual, { uri: 'http://127.0.0.1:1/x', text: '' }]),
        'a file': sign([...usual, { uri: 'file:///etc/passwd', text: '' }]),
        'one Id in two References': sign([...usual, bodyPart]),
        '31 References': references(31),
        'six Transforms': bodyBy(
          `<ds:Transforms>${USUAL_TRANSFORMS.slice(15, -16).repeat(6)}</ds:Transforms>`,
        ),
        'an empty SignatureValue': good.replace(
          /<ds:SignatureValue>[^<]*</,
          '<ds:SignatureValue><',
        ),
        'base64 with something behind': good.replace(
          '</ds:SignatureValue>',
          '=</ds:SignatureValue>',
        ),
      },
    ],
    [/wsse:InvalidSecurity|SOAP_HEADER_LIMIT/, { '1,000 References': references(1000) }],
    [
      'WSSE_DUPLICATE_ID',
      {
        'the Id of Body once more in Body': good.replace(
          '<Pay xmlns="urn:desk">',
          '<Pay xmlns="urn:desk" Id="body">',
        ),
        'the Id of Body at the Envelope': good.replace(
          '<s:Envelope ',
          `$&xmlns:u="${WSU}" u:Id="body" `,
        ),
      },
    ],
    [
      /WSSE_DUPLICATE_ID|wsse:InvalidSecurity/,
      {
        'the Body moved into Header, and its Id kept': messageOf(
          security,
          bodyOf(evil),
          to + wrapper(body),
        ),
        'the Id of Body at a header block, unqualified': otherId('ID="body"'),
        'the Id of Body as xml:id': otherId('xml:id="body"'),
        'blanks in a second Id': otherId('ID=" body "'),
      },
    ],
    [
      /SOAP_STRUCTURE|wsse:InvalidSecurity/,
      {
        'a second Body behind': messageOf(security, body + evilBody, to),
        'two To': messageOf(security, body, to + to.replace('"to"', '"to2"')),
      },
    ],
    [
      /wsse:InvalidSecurity|WSSE_STRUCTURE/,
      {
        'two Timestamps': secured(unsignedTimestamp, signature),
        'a Security block of a draft beside': messageOf(
          `${security}<d:Security xmlns:d="http://schemas.xmlsoap.org/ws/2002/12/secext"/>`,
          body,
          to,
        ),
      },
    ],
    [
      'wsse:UnsupportedAlgorithm',
      {
        XPath: bodyBy(
          transform('http://www.w3.org/TR/1999/REC-xpath-19991116', '<ds:XPath>1=0</ds:XPath>'),
        ),
        XSLT: bodyBy(transform('http://www.w3.org/TR/1999/REC-xslt-19991116')),
        base64: bodyBy(transform(`${DS}base64`)),
        'an enveloped signature': bodyBy(enveloped),
        'no Transforms': bodyBy(''),
        'inclusive canonicalization': sign(usual, {
          methods: methods('http://www.w3.org/TR/2001/REC-xml-c14n-20010315', RSA),
        }),
        'a canonicalization that nobody knows': sign(usual, { methods: methods('urn:c14n', RSA) }),
        'SHA-1 for the signature': sign(usual, { algorithm: 'rsa-sha1' }),
        'SHA-1 for a digest': sign([...rest, { ...bodyPart, digest: 'sha1' }]),
        'HMAC with the public key': sign(usual, {
          methods: methods(EXCLUSIVE, `${DS}hmac-sha1`),
          signWith: (bytes) => createHmac('sha1', client.cert).update(bytes).digest(),
        }),
        'a truncated HMAC': sign(usual, { methods: hmac }),
        'an encrypted part': messageOf(
          securityOf([
            '<x:EncryptedKey xmlns:x="http://www.w3.org/2001/04/xmlenc#"/>',
            token,
            timestamp,
            signature,
          ]),
          body,
          to,
        ),
      },
    ],
    [
      'wsse:SecurityTokenUnavailable',
      {
        'a token that the message does not have': sign(usual, { keyInfo: keyByToken('none') }),
        'a token outside of Security': messageOf(
          securityOf([timestamp, signature]),
          body,
          to + token,
        ),
      },
    ],
    [
      'wsse:InvalidSecurityToken',
      {
        'a token with bytes behind it': good.replace(
          /(<wsse:BinarySecurityToken[^>]*>)([A-Za-z0-9+/]*)=*</,
          (_, open: string, letters: string) => `${open}${longer(letters)}<`,
        ),
      },
    ],
    [
      'wsse:UnsupportedSecurityToken',
      {
        'the Body moved into Security': messageOf(
          securityOf([token, timestamp, signature, wrapper(body)]),
          evilBody,
          to,
        ),
        'a token of another kind': good.replace('#X509v3"', '#X509PKIPathv1"'),
      },
    ],
  ];
  for (const [expected, messages] of vectors) {
    for (const [name, message] of Object.entries(messages)) {
      const code = await desk.send(message);
      t.match(code, expected, name);
      if (code === null) t.fail(name);
    }
  }
  t.equal(desk.received.length, 2, 'none of them came to the backend');
});

t.test('times: Created, Expires, tolerance and age', WITH_OPENSSL, async (t) => {
  const { folder, client } = makeClient(t);
  const desk = await useVerifyingDesk(
    t,
    `${PEMS(folder)}\n  keyReferences: [token]\ntimestamp: { required: true, toleranceMillis: ` +
      '10000, maxAgeMillis: 60000 }',
  );
  const at = (created: number, expires: number | null): string => {
    const [body, timestamp] = [bodyOf(CONTENT), timestampOf(created, expires)];
    const signature = signatureOf(client, [
      { uri: '#body', text: body },
      { uri: '#ts', text: timestamp },
    ]);
    return messageOf(securityOf([tokenOf(client), timestamp, signature]), body);
  };
  const now = Date.now();
  t.equal(await desk.send(at(now - 50_000, now + 1_000_000)), null);
  t.equal(await desk.send(at(now, null)), null, 'without Expires, by its age');
  t.equal(await desk.send(at(now - 80_000, now + 1_000_000)), 'wsse:MessageExpired', 'too old');
  t.equal(
    await desk.send(at(now + 30_000, now + 60_000)),
    'wsse:MessageExpired',
    'from the future',
  );
  t.equal(
    await desk.send(at(now - 50_000, now - 20_000)),
    'wsse:MessageExpired',
    'its Expires has passed',
  );
  t.equal(
    await desk.send(at(now - 1_000, now - 2_000)),
    'wsse:MessageExpired',
    'Expires before Created',
  );
});

t.test(
  'a message that may come once comes once, with whatever bytes in its signature',
  WITH_OPENSSL,
  async (t) => {
    const { folder, authority } = makeClient(t);
    const ec = authority.sign('ec', 30, '/OU=Clients/CN=ec');
    const desk = await useVerifyingDesk(t, `${PEMS(folder)}\nonce: true`);
    const { message } = signedMessage(ec, CONTENT, { algorithm: 'ecdsa-sha256' });
    t.equal(await desk.send(message), null);
    t.equal(await desk.send(message), 'wsse:FailedAuthentication');
    // The other value of ECDSA for the same message: s is n - s.
    const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
    const other = message.replace(
      /(<ds:SignatureValue>)([^<]*)/,
      (_, open: string, letters: string) => {
        const bytes = Buffer.from(letters, 'base64');
        const s = order - BigInt(`0x${bytes.toString('hex', 32)}`);
        return `${open}${Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')]).toString('base64')}`;
      },
    );
    t.not(other, message);
    t.equal(await desk.send(other), 'wsse:FailedAuthentication');
    t.equal(
      await desk.send(
        signedMessage(ec, CONTENT, { algorithm: 'ecdsa-sha256', nowMillis: Date.now() + 5 })
          .message,
      ),
      null,
    );
  },
);

t.test(
  'attachments are compared as they come by, and all of them where they are required',
  WITH_OPENSSL,
  async (t) => {
    const { folder, client } = makeClient(t);
    const desk = await useVerifyingDesk(t, PEMS(folder));
    const strict = await useVerifyingDesk(
      t,
      PEMS(folder).replace('Timestamp]', 'Timestamp, attachments]'),
    );
    const CONTENT_TRANSFORM =
      '<ds:Transforms><ds:Transform ' +
      'Algorithm="http://docs.oasis-open.org/wss/oasis-wss-SwAProfile-1.1#Attachment-Content-Signature-Transform"></ds:Transform></ds:Transforms>';
    const signed = (...ids: readonly string[]): string => {
      const [body, timestamp] = [bodyOf(CONTENT), timestampOf(Date.now())];
      const parts = ids.map((id) => ({
        uri: `cid:${id}`,
        text: `bytes of ${id}`,
        transforms: CONTENT_TRANSFORM,
      }));
      const signature = signatureOf(client, [
        { uri: '#body', text: body },
        { uri: '#ts', text: timestamp },
        ...parts,
      ]);
      return messageOf(securityOf([tokenOf(client), timestamp, signature]), body);
    };
    const packed = (
      envelope: string,
      parts: readonly (readonly [id: string, content: string])[],
      type = 'application/pdf',
    ): string => {
      const others = parts.map(
        ([id, content]) =>
          `--b\r\nContent-Type: ${type}\r\nContent-ID: <${id}>\r\n\r\n${content}\r\n`,
      );
      return (
        '--b\r\nContent-Type: text/xml; charset=utf-8\r\nContent-ID: <root>\r\n\r\n' +
        `${envelope}\r\n${others.join('')}--b--\r\n`
      );
    };
    const TYPE = 'multipart/related; boundary=b; type="text/xml"; start="<root>"';
    const one = ['a', 'bytes of a'] as const;
    const two = ['b@x', 'bytes of b@x'] as const;
    for (const [name, message, open, closed] of [
      ['one', packed(signed('a'), [one]), null, null],
      ['two', packed(signed('a', 'b@x'), [one, two]), null, null],
      ['one that is not signed', packed(signed('a'), [one, two]), null, 'wsse:InvalidSecurity'],
      [
        'one that is altered',
        packed(signed('a'), [['a', 'Bytes of a']]),
        'wsse:FailedCheck',
        'wsse:FailedCheck',
      ],
      [
        'the last one altered',
        packed(signed('a', 'b@x'), [one, ['b@x', 'bytes of b@y']]),
        'wsse:FailedCheck',
        'wsse:FailedCheck',
      ],
      [
        'one that is missing',
        packed(signed('a', 'b@x'), [one]),
        'wsse:InvalidSecurity',
        'wsse:InvalidSecurity',
      ],
      [
        'a signed text',
        packed(signed('a'), [one], 'text/plain'),
        'wsse:UnsupportedAlgorithm',
        'wsse:UnsupportedAlgorithm',
      ],
    ] as const) {
      t.equal(await desk.send(message, TYPE), open, name);
      t.equal(await strict.send(message, TYPE), closed, `${name}, required`);
    }
    t.equal(await desk.send(signed('a')), 'wsse:InvalidSecurity', 'no package');
    const include =
      '<Pay xmlns="urn:desk"><x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" ' +
      'href="cid:a"></x:Include></Pay>';
    const xop = signedMessage(client, include).message;
    t.equal(
      await desk.send(packed(xop, [one]), TYPE),
      'wsse:FailedCheck',
      'an Include that is signed as it is: its part is not',
    );
  },
);

t.test(
  'a block that is verified is taken out, where that is asked for or it is for the gateway',
  WITH_OPENSSL,
  async (t) => {
    const { folder, client } = makeClient(t);
    const actor = ' xmlns:e="http://schemas.xmlsoap.org/soap/envelope/" e:mustUnderstand="1"';
    for (const [verify, attributes, other] of [
      [`${PEMS(folder)}\nremove: true`, actor, ''],
      [`${PEMS(folder)}\nrole: urn:gateway`, `${actor} e:actor="urn:gateway"`, ''],
      [
        `${PEMS(folder)}\nrole: next`,
        `${actor} e:actor="http://schemas.xmlsoap.org/soap/actor/next"`,
        '<x:y xmlns:x="urn:x"/>',
      ],
    ] as const) {
      const desk = await useVerifyingDesk(t, verify);
      const { token, timestamp, signature, body } = signedMessage(client, CONTENT);
      t.equal(
        await desk.send(
          messageOf(securityOf([token, timestamp, signature], attributes), body, other),
        ),
        null,
      );
      t.equal(String(desk.received.at(-1)?.body), messageOf('', body, other));
      t.equal(
        await desk.send(
          messageOf(
            securityOf([token, timestamp, signature], attributes),
            bodyOf('<Pay xmlns="urn:desk"/>'),
            other,
          ),
        ),
        'wsse:FailedCheck',
      );
    }
  },
);
