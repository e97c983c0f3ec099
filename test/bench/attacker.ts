import { spawnSync } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { setPriority } from 'node:os';
import { connect as connectTls } from 'node:tls';

import { type Attack, attacksOf } from './attacks.js';

/** Not the address of good traffic. */
const ATTACKER_ADDRESS = '127.0.0.2';

/**
 * One attack at full rate, in a process of its own:
 * `node attacker.js URL SECURE_URL NAME [ADDRESS]`. It comes from another address than good traffic
 * unless told to come from the same, and yields the processor to those it attacks: what it needs
 * itself would be spent elsewhere. Answers each message with the connections it has made so far.
 */
const [, , url = '', secureUrl = '', name = '', localAddress = ATTACKER_ADDRESS] = process.argv;
const { hostname, port } = new URL(url);
const securePort = Number(new URL(secureUrl).port);
const attacks = attacksOf(name);
if (attacks.length === 0) throw new Error(`no attack is called ${name}`);
setPriority(19);
// Where the system can be told so, it runs when nobody else wants to: a low priority alone still
// has those who are woken wait for the end of a slice of 3 ms, callers and the backend with each
// message.
spawnSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(process.pid)], {
  stdio: 'ignore',
});

/** An attacker does not wait for an answer for ever. */
const PATIENCE_MILLIS = 20_000;
let made = 0;

function assail({ bytes, pace, connections, handshakesPerSecond = 0 }: Attack): void {
  if (handshakesPerSecond > 0) shakeHands(handshakesPerSecond);
  for (let n = 0; n < connections; n++) once();

  function once(): void {
    made++;
    const socket = connect({ host: hostname, port: Number(port), localAddress, noDelay: true });
    socket.setTimeout(PATIENCE_MILLIS, () => socket.destroy());
    // What comes back is read: an answer, or the end.
    socket.resume().on('error', () => {});
    socket.once('connect', () => send(socket, bytes, pace));
    socket.once('data', () => pace === 'fast' && socket.end());
    socket.once('close', () => setImmediate(once));
  }
}

/**
 * Opens connections at this rate, whatever becomes of those before; nothing is sent after the
 * handshake.
 */
function shakeHands(perSecond: number): void {
  const startMillis = performance.now();
  setInterval(() => {
    const due = ((performance.now() - startMillis) / 1000) * perSecond;
    for (; made < due; made++) {
      const plain = connect({ host: hostname, port: securePort, localAddress }).on(
        'error',
        () => {},
      );
      const socket = connectTls({ socket: plain, rejectUnauthorized: false });
      socket.setTimeout(PATIENCE_MILLIS, () => socket.destroy());
      socket.on('error', () => {});
      socket.once('secureConnect', () => socket.destroy());
    }
  }, 5);
}

function send(socket: Socket, bytes: Buffer, pace: Attack['pace']): void {
  if (pace === 'none') socket.destroy();
  else if (pace === 'fast') socket.write(bytes);
  else {
    let at = 0;
    const drip = setInterval(() => socket.write(bytes.subarray(at, ++at)), pace);
    socket.once('close', () => clearInterval(drip));
  }
}

process.on('message', () => process.send?.(made));
process.on('disconnect', () => process.exit());
attacks.forEach(assail);
