import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Authority } from '../kit/certificates.js';
import { freePort } from '../kit/free-port.js';
import { childrenOf } from '../kit/gateway-process.js';
import { missing } from '../real/programs.js';
import { startNginx } from '../real/proxies.js';
import {
  cpuMicrosOf,
  fileOf,
  isProgram,
  isQuick,
  median,
  print,
  quantile,
  startServer,
  table,
} from './kit.js';
import { Load } from './load.js';
import { startFile, withConfiguration } from './soapstone.js';

/** Messages of a slice: short, so that other processes disturb both ways alike. */
const SLICE = 1_000;
const WARM_UP = 15_000;

/** A proxy that takes the same messages in clear text and over TLS, in one process. */
interface Contender {
  readonly name: string;
  readonly clear: Load;
  readonly secure: Load;
  /** Processor time of the process. */
  readonly cpuMicros: () => Promise<number>;
  stop(): Promise<void>;
}

interface Files {
  readonly home: string;
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

async function startSoapstone(backend: string, { cert, key, ca }: Files): Promise<Contender> {
  const [clear, secure] = [await freePort(), await freePort()];
  const tls = `tls: { cert: { file: ${cert} }, key: { file: ${key} } }`;
  const listen = `[ 127.0.0.1:${clear}, { address: 127.0.0.1:${secure}, ${tls} } ]`;
  const server = await withConfiguration(`${backend}/soap/bench`, startFile, '', listen);
  return {
    name: 'Soapstone',
    clear: new Load(`http://127.0.0.1:${clear}`),
    secure: new Load(`https://127.0.0.1:${secure}`, ca),
    cpuMicros: async () => (await server.usage()).cpuMicros,
    stop: () => server.stop(),
  };
}

async function startNginxOfBoth(
  backend: string,
  { home, cert, key, ca }: Files,
): Promise<Contender> {
  const secure = await freePort();
  const nginx = await startNginx(home, (port) => ({
    http: `
  keepalive_requests 1000000;
  upstream backends { server ${new URL(backend).host}; keepalive 32; }
  server {
    listen 127.0.0.1:${port};
    listen 127.0.0.1:${secure} ssl;
    ssl_certificate ${cert};
    ssl_certificate_key ${key};
    location / {
      proxy_pass http://backends;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }`,
  }));
  const [worker = 0] = childrenOf(nginx);
  return {
    name: 'nginx',
    clear: new Load(`http://127.0.0.1:${nginx.port}`),
    secure: new Load(`https://127.0.0.1:${secure}`, ca),
    cpuMicros: async () => cpuMicrosOf(worker),
    stop: () => nginx.stop(),
  };
}

/**
 * Processor time of small messages over kept connections with TLS, beside the same in clear text,
 * in turns.
 */
export async function benchTls(quick: boolean): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'soapstone-tls-'));
  const authority = new Authority(home);
  const { cert, key } = authority.sign('proxy.example');
  const files = {
    home,
    cert: join(home, 'cert.pem'),
    key: join(home, 'key.pem'),
    ca: authority.ca.cert,
  };
  writeFileSync(files.cert, cert);
  writeFileSync(files.key, key);
  const backend = await startServer(fileOf('backend.js'), []);
  const absent = missing('nginx');
  const contenders = [await startSoapstone(backend.url, files)];
  if (absent === false) contenders.push(await startNginxOfBoth(backend.url, files));
  const rows: string[][] = [];
  for (const { name, clear, secure, cpuMicros, stop } of contenders) {
    const slice = async (load: Load): Promise<number> => {
      const before = await cpuMicros();
      await load.small(SLICE);
      return ((await cpuMicros()) - before) / SLICE;
    };
    for (const load of [clear, secure]) await load.small(quick ? WARM_UP / 5 : WARM_UP);
    const micros: (readonly [clear: number, secure: number])[] = [];
    for (let round = 0; round < (quick ? 10 : 60); round++) {
      if (round % 2 === 0) micros.push([await slice(clear), await slice(secure)]);
      else {
        const first = await slice(secure);
        micros.push([await slice(clear), first]);
      }
    }
    const mean = (at: 0 | 1): number =>
      micros.reduce((sum, each) => sum + each[at], 0) / micros.length;
    const ratios = micros.map(([one, other]) => other / one);
    rows.push([
      name,
      mean(0).toFixed(1),
      mean(1).toFixed(1),
      (mean(1) / mean(0)).toFixed(2),
      `${quantile(ratios, 0.25).toFixed(2)} ${median(ratios).toFixed(2)} ` +
        `${quantile(ratios, 0.75).toFixed(2)}`,
    ]);
    await Promise.all([clear.close(), secure.close()]);
    await stop();
  }
  await backend.stop();
  await rm(home, { recursive: true });
  print('\nSmall messages over kept connections, processor time of the proxy for each\n\n');
  print(table(['proxy', 'clear text, µs', 'TLS, µs', 'ratio', 'quartiles of slices'], rows));
  if (absent !== false) print(`\n  ${absent}\n`);
}

if (isProgram(import.meta.url)) await benchTls(isQuick());
