import { Buffer } from 'node:buffer';
import { X509Certificate } from 'node:crypto';
import t from 'tap';
import { parseCertificate } from '../../src/wss/x509/certificate-trust.js';
import { Authority, RSA_KEY, WITH_OPENSSL } from '../kit/certificates.js';

const KEYS = {
  rsa: RSA_KEY,
  ec: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
};

t.test(
  'certificates altered at any byte are read or refused, and end no process',
  WITH_OPENSSL,
  async (t) => {
    const authority = new Authority(t.testdir());
    for (const [name, key] of Object.entries(KEYS)) {
      const { raw } = new X509Certificate(
        authority.sign(name, 30, `/O=Bank/CN=${name}`, 'DNS:a', key).cert,
      );
      let read = 0;
      let refused = 0;
      for (let at = 0; at < raw.length; at++) {
        for (const mask of [0x01, 0x80, 0xff]) {
          const altered = Buffer.from(raw);
          altered[at] = (raw[at] ?? 0) ^ mask;
          if (isRead(altered)) read++;
          else refused++;
        }
      }
      t.equal(isRead(raw), true, name);
      t.ok(read > 0 && refused > 0, `${name}: ${read} read, ${refused} refused`);
    }
  },
);

function isRead(der: Buffer): boolean {
  try {
    return parseCertificate(new X509Certificate(der)) !== null;
  } catch {
    return false;
  }
}
