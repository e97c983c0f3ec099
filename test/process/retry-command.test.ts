import t from 'tap';

import { retryCommand } from '../../src/process/retry-command.js';

/** The command line for an address that is taken. */

const DEMO = {
  listen: '127.0.0.1:4000',
  admin: '127.0.0.1:4001',
  demo: { listen: '127.0.0.1:8081' },
};
const OWN = { listen: '[::1]:4000', admin: '127.0.0.1:65500' };
const argv = (...words: string[]): string[] => ['node', 'main.js', ...words];

t.test('a demonstration moves away from another one as a whole', (t) => {
  t.equal(
    retryCommand(DEMO, 'demo', argv('start'), { npm_lifecycle_event: 'start' }),
    'npm start -- --listen 127.0.0.1:4100 --admin 127.0.0.1:4101 --demo 127.0.0.1:8181',
  );
  t.equal(
    retryCommand(DEMO, 'admin', argv('start', '--listen', '127.0.0.1:4000'), {
      npm_command: 'exec',
    }),
    'npx soapstone start --listen 127.0.0.1:4000 --admin 127.0.0.1:4101 --demo 127.0.0.1:8181',
  );
  t.end();
});

t.test('the address that is taken is replaced, and all else stays', (t) => {
  t.equal(
    retryCommand(OWN, 'listen', argv('start', '-c', 'my file.yaml', '--workers', '2'), {}),
    "soapstone start -c 'my file.yaml' --workers 2 --listen [::1]:4100",
  );
  t.equal(
    retryCommand(OWN, 'admin', argv('start', '--admin=127.0.0.1:65500'), {}),
    'soapstone start --admin 127.0.0.1:65400',
  );
  t.end();
});

t.test('there is none for lists of listeners, sockets and other commands', (t) => {
  t.equal(
    retryCommand({ ...OWN, listen: [{ address: '127.0.0.1:1' }] }, 'listen', argv('start'), {}),
    null,
  );
  t.equal(retryCommand({ ...OWN, listen: 'unix:/run/a.sock' }, 'listen', argv('start'), {}), null);
  t.equal(retryCommand(OWN, 'listen', argv('try', 'a.wsdl'), {}), null);
  t.end();
});
