import t from 'tap';
import { hideQueries } from '../../src/gateway/hide-queries.js';

t.test(
  'queries of addresses are hidden, but for those that ask for a document and no more',
  async (t) => {
    for (const same of [
      'http://a/b',
      'https://a/b?wsdl.',
      'http://a/b?xsd=2: not found',
      'why? (none)',
      'HTTP://a?WSDL',
    ])
      t.equal(hideQueries(same), same);
    t.equal(
      hideQueries('http://a/b?wsdl&key=s, http://c?key=s#f: no'),
      'http://a/b?..., http://c?...: no',
    );
    t.equal(hideQueries('(https://a?k=http://b?t=s)'), '(https://a?...)');
    t.equal(hideQueries(`http://a/${'?'.repeat(50_000)}`), 'http://a/?...');
  },
);
