import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';

import { hashPassword } from '../../src/access/passwords/password-hash.js';
import { DIALECT_NAMES, type DialectName } from '../../src/soap/dialect.js';
import { startScriptedBackend } from '../kit/backend.js';
import type { GatewayProcess } from '../kit/gateway-process.js';
import { postGraphql } from '../kit/graphql-client.js';
import { post, sendRaw } from '../kit/raw-client.js';
import { fill } from '../perimeter/case-file.js';
import { shopMapping } from './graphql-kit.js';
import { OPERATIONS } from './graphql-vectors.js';
import { HEAD_VECTORS } from './http-heads.js';
import { contentTypeOf } from './messages.js';
import { ANSWERS } from './upstream-answers.js';
import { HEADS } from './upstream-heads.js';
import { answerOf, envelope, http, requestOf, type Script, WSDL } from './upstream-kit.js';
import { type AnswerVector, CLOSES, long, MIB, own, raw, USUAL, vectors } from './upstream-wire.js';
import { INVALID } from './validity-vectors.js';
import { xmlVectors } from './xml-vectors.js';

/** What one party does, and what the event loop of the gateway is watched for meanwhile. */
interface LoopTrial {
  readonly name: string;
  readonly run: (gateway: GatewayProcess) => Promise<void>;
}

export interface LoopTrials {
  /** The configuration of the gateway. */
  readonly yaml: string;
  readonly trials: readonly LoopTrial[];
  /** A call that has nothing to do with any trial. */
  readonly callCalm: (gateway: GatewayProcess) => Promise<void>;
  /** An odd reply at once, again and again. */
  readonly callOdd: (gateway: GatewayProcess) => Promise<void>;
}

const USER = { name: 'erp', password: 'a password' };
const RELOADS = 5;
const LOGINS = 20;
const BRIEFLY_MILLIS = 50;

/**
 * How a reply of the catalogue is changed: its end or its version keep the connection from being
 * used again.
 */
const FORMS: readonly (readonly [string, (reply: string) => string])[] = [
  ['as it is', (reply) => reply],
  ['with Connection: close', (reply) => reply.replace('\r\n', '\r\nConnection: close\r\n')],
  ['of HTTP/1.0', (reply) => reply.replace('HTTP/1.1', 'HTTP/1.0')],
];

/** Status lines that are none, and replies that are refused while they come. */
const STATUSES = ['000', '001', '099', '100', '199', '600', '999', '1000', '20', '2x0'];
const MORE: readonly AnswerVector[] = [
  ...STATUSES.flatMap((status) =>
    vectors('U12', USUAL, {
      [`status ${status}`]: (dialect) =>
        http(envelope(answerOf('Ping'), dialect), own(dialect), `${status} Odd`),
    }),
  ),
  ...vectors('U18', USUAL, {
    'far over the limit': (dialect) => http(long(dialect, 16 * MIB), own(dialect)),
  }),
  ...vectors('U15', USUAL, {
    'refused in the middle': (dialect) =>
      http(long(dialect, MIB).replace('</a>', '</b>'), own(dialect)),
  }),
  ...vectors('U12', CLOSES, { 'head alone': () => raw(['HTTP/1.1 200 OK']) }),
];

/** Everything that a backend, a caller and an operator can do to a gateway, one after the other. */
export async function startLoopTrials(t: Pick<Test, 'teardown'>): Promise<LoopTrials> {
  const folder = await mkdtemp(join(tmpdir(), 'soapstone-trials-'));
  await writeFile(join(folder, 'o.wsdl'), WSDL);
  let script: Script = (socket) => socket.destroy();
  const odd = await startScriptedBackend((socket, request) => script(socket, request));
  const calm = await startScriptedBackend((socket) =>
    socket.write(http(envelope(answerOf('Ping')))),
  );
  t.teardown(async () => {
    await Promise.all([odd.close(), calm.close(), rm(folder, { recursive: true })]);
  });
  const hash = await hashPassword(USER.password);
  const service = (name: string, version: string): string =>
    `  ${name}: { url: "${odd.url}/base", versions: ["${version}"] }\n`;
  const yaml = `${shopMapping(calm.url)}  calm: { url: "${calm.url}/", versions: ["1.1"] }
${service('s11', '1.1')}${service('s12', '1.2')}${service('s200112', '2001-12')}  orders:
    wsdl: ${folder}/o.wsdl
    url: ${odd.url}/base
    versions: ["1.1", "1.2"]
    validate: { requests: enforce, replies: report }
    operations: { GetOrder: { field: Query.order, idempotent: true }, DropOrder: { field: \
Mutation.drop } }
routes: [{ path: /files, url: "${odd.url}" }]
clients:
  basic: { users: { ${USER.name}: { class: all, password: "${hash}" } } }
  address: { class: all }
  classes: { all: {} }
limits:
  upstream: { headersMillis: 300, idleMillis: 300, totalMillis: 1000, breakerFailures: 0 }
  overload: { eventLoopMillis: 0 }
  http: { refusalsPerSecond: 0 }
  xml: { messageBytes: 2097152 }
`;
  /** The backend answers the next request with these bytes. */
  const play = (reply: Buffer | string | Script, isEnd: boolean): void => {
    script = (socket, request) => {
      if (typeof reply === 'function') return reply(socket, request);
      socket.write(reply);
      if (isEnd) socket.end();
    };
  };
  const replies = [...ANSWERS, ...HEADS, ...MORE].flatMap((vector) => repliesOf(vector));
  const trials: LoopTrial[] = replies.map(({ name, reply, isEnd, operation, dialect }) => ({
    name: `reply: ${name}`,
    async run({ url }) {
      play(reply, isEnd);
      await sendRaw(url, requestOf(operation, { dialect }));
      // Through a plain route, which waits for longer.
      if (typeof reply !== 'function')
        await briefly(sendRaw(url, post('/files/a', 'text/xml', '')));
      for (const socket of odd.sockets) socket.destroy();
    },
  }));
  trials.push(...requestTrials(), ...operatorTrials());
  return {
    yaml,
    trials,
    async callCalm({ url }) {
      const { status } = await sendRaw(
        url,
        post('/soap/calm', 'text/xml', envelope('<o:Ping xmlns:o="urn:m"/>')),
      );
      if (status !== 200) throw new Error(`status ${status}`);
    },
    async callOdd({ url }) {
      play(http(envelope('<a>'.repeat(200)), { Connection: 'close' }), false);
      await sendRaw(url, requestOf('Ping'));
    },
  };
}

interface OddReply {
  readonly name: string;
  readonly reply: Buffer | string | Script;
  readonly isEnd: boolean;
  readonly operation: string;
  readonly dialect: DialectName;
}

function repliesOf(vector: AnswerVector): readonly OddReply[] {
  const [dialect = '1.1'] = vector.dialects ?? DIALECT_NAMES;
  const { operation = 'Ping', end: isEnd = false } = vector;
  const made = vector.answer(dialect);
  const name = `${vector.row} ${vector.case}`;
  if (typeof made === 'function') return [{ name, reply: made, isEnd, operation, dialect }];
  const text = Buffer.from(made).toString('latin1');
  return FORMS.map(([form, change]) => ({
    name: `${name}, ${form}`,
    reply: Buffer.from(change(text), 'latin1'),
    isEnd,
    operation,
    dialect,
  }));
}

/** Waits for an answer that may never come. */
async function briefly(answer: Promise<unknown>): Promise<void> {
  await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, BRIEFLY_MILLIS))]);
}

/** What callers send. */
function requestTrials(): readonly LoopTrial[] {
  const messages = [...xmlVectors('http://127.0.0.1:1'), ...INVALID].map(
    ({ row, case: name, message, headers = {}, dialects }): LoopTrial => ({
      name: `request: ${row} ${name}`,
      async run({ url }) {
        const [dialect = '1.1'] = dialects ?? DIALECT_NAMES;
        const body = typeof message === 'string' ? fill(message, dialect) : message(dialect);
        await sendRaw(url, post('/soap/calm', contentTypeOf(dialect), Buffer.from(body), headers));
      },
    }),
  );
  const heads = HEAD_VECTORS.flatMap(
    ({ row, case: name, bytes, endpoints = ['/soap/calm', '/graphql'] }) =>
      endpoints.map(
        (path): LoopTrial => ({
          name: `request: ${row} ${name}, ${path}`,
          async run({ url }) {
            await briefly(sendRaw(url, bytes(path)));
          },
        }),
      ),
  );
  const documents = OPERATIONS.map(
    ({ row, case: name, ...asked }): LoopTrial => ({
      name: `request: ${row} ${name}`,
      async run({ url }) {
        await (await postGraphql(url, asked)).arrayBuffer();
      },
    }),
  );
  return [...messages, ...heads, ...documents];
}

/** What operators do, and logins. */
function operatorTrials(): readonly LoopTrial[] {
  const login = (password: string): LoopTrial => ({
    name: `login: ${password === USER.password ? 'right' : 'wrong'} passwords`,
    async run({ url }) {
      const field = `Basic ${Buffer.from(`${USER.name}:${password}`).toString('base64')}`;
      const request = post('/soap/calm', 'text/xml', envelope('<a xmlns="urn:m"/>'), {
        Authorization: field,
      });
      await Promise.all(Array.from({ length: LOGINS }, () => sendRaw(url, request)));
    },
  });
  return [
    login('another password'),
    login(USER.password),
    {
      name: 'reload',
      async run({ file, adminUrl }) {
        const text = await readFile(file, 'utf8');
        for (let count = 1; count <= RELOADS; count++) {
          await writeFile(file, text.replace('totalMillis: 1000', `totalMillis: ${1000 + count}`));
          const { status } = await fetch(`${adminUrl}/reload`, { method: 'POST' });
          if (status !== 200) throw new Error(`status ${status}`);
        }
      },
    },
    {
      name: 'metrics and the console',
      async run({ adminUrl }) {
        for (const path of ['/metrics', '/', '/health', '/ready']) {
          await (await fetch(`${adminUrl}${path}`)).arrayBuffer();
        }
      },
    },
  ];
}
