import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { ENVOY, type RunningProgram, startProgram } from './programs.js';

/** Starts nginx, HAProxy and Envoy in the foreground, with their files in a folder of the test. */

/** Blocks of the configuration of nginx, without what each process needs. */
interface NginxBlocks {
  readonly main?: string;
  readonly http?: string;
  readonly stream?: string;
}

const FOLDERS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/** As the file of nginx has it. */
export function nginxConfiguration(
  home: string,
  { main = '', http, stream }: NginxBlocks,
  workers = 1,
): string {
  const temporary = FOLDERS.map((name) => `  ${name}_temp_path ${home}/${name};\n`).join('');
  return [
    stream === undefined ? '' : 'load_module /usr/lib/nginx/modules/ngx_stream_module.so;',
    `daemon off;\npid ${home}/nginx.pid;\nerror_log ${home}/nginx.log;`,
    main,
    `worker_processes ${workers};\nevents { worker_connections 1024; }`,
    http === undefined ? '' : `http {\n  access_log off;\n${temporary}${http}\n}`,
    stream === undefined ? '' : `stream {\n${stream}\n}\n`,
  ].join('\n');
}

/** Starts nginx with `nginx.conf` in the folder, which it reads again at SIGHUP. */
export function startNginx(
  home: string,
  blocksFor: (port: number) => NginxBlocks,
  workers = 1,
): Promise<RunningProgram> {
  const file = join(home, 'nginx.conf');
  return startProgram({
    command: (port) => {
      writeFileSync(file, nginxConfiguration(home, blocksFor(port), workers));
      return ['/usr/sbin/nginx', '-c', file, '-e', join(home, 'nginx.log')];
    },
  });
}

/** Starts HAProxy with `haproxy.cfg` in the folder, and `more` on its command line. */
export function startHaproxy(
  home: string,
  configurationFor: (port: number) => string,
  more: readonly string[] = [],
): Promise<RunningProgram> {
  const file = join(home, 'haproxy.cfg');
  return startProgram({
    command: (port) => {
      writeFileSync(file, configurationFor(port));
      return ['haproxy', '-db', '-f', file, ...more];
    },
  });
}

/** Starts Envoy, on one port, with filter chains and clusters. */
export function startEnvoy(
  home: string,
  chains: readonly object[],
  clusters: readonly object[],
): Promise<RunningProgram> {
  const file = join(home, 'envoy.json');
  return startProgram({
    command: (port) => {
      const address = { socket_address: { address: '127.0.0.1', port_value: port } };
      const listeners = [{ name: 'door', address, filter_chains: chains }];
      writeFileSync(file, JSON.stringify({ static_resources: { listeners, clusters } }));
      return [
        ENVOY,
        '-c',
        file,
        '--use-dynamic-base-id',
        '--concurrency',
        '1',
        '--log-level',
        'error',
      ];
    },
  });
}
