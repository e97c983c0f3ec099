import { performance } from 'node:perf_hooks';
import { rootCertificates } from 'node:tls';
import t from 'tap';

import { certificateEndMillis } from '../../src/core/tls/first-end.js';

t.test(
  'the end of a text is read once: a scrape of the metrics asks for those of all services',
  (t) => {
    const time = (work: () => void): number => {
      const fromMillis = performance.now();
      work();
      return performance.now() - fromMillis;
    };
    const text = (): string => rootCertificates.join('\n');
    const end = certificateEndMillis(text());
    t.ok(end !== null && end > Date.parse('2020-01-01'));
    const first = time(() => certificateEndMillis(`${text()}\n`));
    const ten = (): void => {
      for (let service = 0; service < 10; service++) certificateEndMillis(text());
    };
    // The least of several: other processes may take the processor meanwhile.
    const again = Math.min(...Array.from({ length: 10 }, () => time(ten)));
    t.equal(certificateEndMillis(text()), end);
    t.ok(again < first, `${again} ms for ten, ${first} ms for the first`);
    t.end();
  },
);

t.test('of many texts the latest are remembered, and each has its own end', (t) => {
  const [one = '', other = ''] = rootCertificates;
  const ends = [certificateEndMillis(one), certificateEndMillis(other)];
  for (let n = 0; n < 100; n++) t.equal(certificateEndMillis(`none ${n}`), null);
  t.same([certificateEndMillis(one), certificateEndMillis(other)], ends);
  t.equal(certificateEndMillis(`${one}\n${other}`), Math.min(...ends.map(Number)));
  t.end();
});
