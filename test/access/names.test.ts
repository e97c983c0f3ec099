import t from 'tap';

import { UNRESTRICTED } from '../../src/access/access.js';
import { Certificates } from '../../src/access/certificates.js';
import type { CallerIdentity } from '../../src/access/client.js';
import { labelOf } from '../../src/access/label.js';
import { Networks } from '../../src/access/network/networks.js';
import { tokenClient } from '../../src/access/tokens/token-client.js';
import { Refusal } from '../../src/core/refusals/refusal.js';
import { configuredNameKey, nameKey } from '../../src/wss/x509/distinguished-name.js';

/**
 * Names of clients: subjects of certificates, and what log and audit call the client of a token.
 */

t.test('the order and the form of a subject do not matter', async (t) => {
  const same: readonly (readonly string[])[] = [
    ['CN=erp,O=Bank', 'O=Bank,CN=erp', 'O = Bank, CN = erp', 'cn=erp,o=Bank', 'CN=erp , O=Bank'],
    ['CN=Jörg+OU=R\\+D,O=Bank Zürich\\, AG', 'O=Bank Zürich\\2C AG,OU=R\\2BD+CN=J\\C3\\B6rg'],
    ['CN=a,OU=x,OU=y', 'OU=y,CN=a,OU=x'],
    ['2.5.4.5=7,CN=a', 'CN=a,2.5.4.5=7'],
    ['CN=\\ a\\ ,O=b', 'O=b, CN=\\20a\\20 '],
  ];
  for (const [first = '', ...others] of same) {
    t.ok(nameKey(first), first);
    for (const other of others) t.equal(nameKey(other), nameKey(first), other);
  }
  t.equal(
    configuredNameKey('/C=CH/O=Bank, AG/CN=a/b'),
    nameKey('CN=a/b,O=Bank\\, AG,C=CH'),
    'the older form of OpenSSL',
  );
});

t.test('other attributes and values are another name', async (t) => {
  const name = nameKey('CN=erp,O=Bank');
  const others = [
    'CN=erp',
    'CN=erp,O=Bank,O=Bank',
    'CN=erp,OU=Bank',
    'CN=ERP,O=Bank',
    'CN=erp+O=Bank',
    'CN=Bank,O=erp',
    'CN=erp\\,O\\=Bank',
    'O=Bank\\,CN\\=erp',
    'CN=erp\\ ,O=Bank',
    'CN=e rp,O=Bank',
    '/O=Bank/CN=erp',
  ];
  for (const other of others) t.not(nameKey(other), name, other);
  t.not(nameKey('CN=#0403'), nameKey('CN=\\#0403'), 'a value in hexadecimal is not the text');
  t.not(nameKey('CN=a,OU=b+OU=c'), nameKey('CN=a,OU=b,OU=c'));
  for (const none of [
    '',
    'erp',
    'DNS:erp.example',
    'URI:spiffe://a?b=c',
    'CN=a,',
    'CN=a\\',
    'CN="a,O=b"',
    'CN=a;O=b',
  ])
    t.equal(nameKey(none), null, none);
  t.equal(nameKey(`CN=${'a'.repeat(5000)}`), null, 'a name of any length is not read');
});

const caller = (parts: Partial<CallerIdentity>): CallerIdentity => ({
  headers: {},
  address: '192.0.2.1',
  ...parts,
});
const certificate = (subject: string) => ({
  subject,
  names: [],
  fingerprint: 'AB:CD',
  endMillis: 9e15,
});

t.test(
  'a certificate is known by its subject in any order, and one that is not listed is named',
  async (t) => {
    const listed = [{ name: 'erp', rights: UNRESTRICTED, subject: '/O=Bank/CN=erp' }];
    const known = new Certificates('x-client', listed, null, new Networks(['10.0.0.1']));
    t.match(known.identify(caller({ certificate: certificate('CN=erp,O=Bank') })), { name: 'erp' });
    const behind = (subject: string): CallerIdentity =>
      caller({ address: '10.0.0.1', headers: { 'x-client': subject } });
    t.match(known.identify(behind('O=Bank,CN=erp')), { name: 'erp' });
    t.match(known.identify(behind('/O=Bank/CN=erp')), { name: 'erp' }, 'to the letter');
    t.throws(
      () => known.identify(behind('/CN=erp/O=Bank')),
      'this form may hold anything: only to the letter',
    );
    const refusal = (of: CallerIdentity): unknown => {
      try {
        return known.identify(of);
      } catch (caught) {
        return caught instanceof Refusal ? [caught.code, caught.detail] : caught;
      }
    };
    t.same(refusal(caller({ certificate: certificate('CN=other,O=Bank') })), [
      'UNAUTHENTICATED',
      'the certificate is listed nowhere: CN=other,O=Bank, SHA-256 AB:CD',
    ]);
    t.same(refusal(behind('CN=a\u202e\nb')), [
      'UNAUTHENTICATED',
      'the certificate is listed nowhere: CN=a??b, as a proxy names it',
    ]);
  },
);

t.test(
  'a subject that a proxy writes in UTF-8, as it is or escaped, is the one of the configuration',
  async (t) => {
    const listed = [{ name: 'erp', rights: UNRESTRICTED, subject: 'CN=Müller 😀,O=Bank' }];
    const known = new Certificates('x-client', listed, null, new Networks(['10.0.0.1']));
    const behind = (bytes: Buffer): CallerIdentity =>
      caller({ address: '10.0.0.1', headers: { 'x-client': bytes.toString('latin1') } });
    for (const written of [
      'CN=Müller 😀,O=Bank',
      'O=Bank, CN=Müller 😀',
      'CN=M\\C3\\BCller \\F0\\9F\\98\\80,O=Bank',
    ])
      t.match(known.identify(behind(Buffer.from(written))), { name: 'erp' }, written);
    t.throws(() => known.identify(behind(Buffer.from('CN=Müller,O=Bank', 'latin1'))), 'not UTF-8');
  },
);

t.test('log and audit name the client of a token by a digest, or as configured', async (t) => {
  const rules = { clientClaim: 'sub', scopesClaim: 'scope', classClaim: null, classes: new Map() };
  const labelFor = (sub: string, logAs: 'digest' | 'claim'): string =>
    tokenClient(
      'jwt',
      'https://idp',
      { token: 't', claims: { sub } },
      { ...rules, logAs, otherwise: UNRESTRICTED },
      { expiresMillis: null, recheckMillis: null },
    ).label;
  t.equal(labelFor('alice', 'digest'), labelOf('jwt', 'https://idp alice'));
  t.equal(labelFor('alice', 'claim'), 'jwt:https://idp alice');
  t.equal(labelFor('Jörg Müller', 'claim'), 'jwt:https://idp Jörg Müller');
  const odd = ['a\u202eb', 'a\u2028b', 'a\nb', 'a\u0000b', 'x'.repeat(1000), `${'x'.repeat(999)}y`];
  const labels = odd.map((sub) => labelFor(sub, 'claim'));
  for (const label of labels) {
    t.match(label, /^jwt:https:\/\/idp [\p{L}\p{N}?]+ #[0-9a-f]{12}$/u);
    t.ok(label.length < 300);
  }
  t.equal(new Set(labels).size, odd.length, 'no two clients have one label');
});
