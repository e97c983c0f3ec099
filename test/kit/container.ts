import { execFileSync, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { childrenOf } from './gateway-process.js';
import { until } from './until.js';

/**
 * An image that buildah builds, and its processes as a container has them: their own process ids,
 * network and read-only files.
 */

/** Why images cannot be built here, else false. */
export function withoutImages(): false | string {
  if (process.getuid?.() !== 0) return 'an image is built as root';
  const absent = ['buildah', 'ip'].find(
    (program) => spawnSync(program, ['-h'], { stdio: 'ignore' }).error !== undefined,
  );
  return absent === undefined ? false : 'apt-get install buildah iproute2';
}

/** As `docker inspect` prints it. */
export interface ImageConfig {
  readonly User: string;
  readonly WorkingDir: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Labels: Readonly<Record<string, string>>;
  readonly StopSignal: string;
  readonly Healthcheck: { readonly Test: readonly string[] };
}

export class Image {
  /** Holds its files. */
  readonly root: string;
  readonly config: ImageConfig;

  /** Builds a Dockerfile on a base that has this Node and a shell: no registry is asked. */
  constructor(folder: string, dockerfile: string, ignorefile: string, context = '.') {
    const places = [
      '--root',
      join(folder, 'storage'),
      '--runroot',
      join(folder, 'run'),
      '--storage-driver',
      'vfs',
    ];
    const buildah = (...args: readonly string[]): string =>
      execFileSync('buildah', [...places, ...args], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      }).trim();
    const base = buildah('from', 'scratch');
    buildah('copy', '--quiet', base, baseFiles(join(folder, 'base')), '/');
    buildah('config', '--env', 'PATH=/usr/local/bin:/usr/bin:/bin', base);
    buildah('commit', '--quiet', '--rm', base, 'localhost/base');
    writeFileSync(join(folder, 'Dockerfile'), dockerfile);
    writeFileSync(join(folder, 'ignored'), ignorefile);
    const files = ['-f', join(folder, 'Dockerfile'), '--ignorefile', join(folder, 'ignored')];
    const options = [
      '--format',
      'docker',
      '--isolation',
      'chroot',
      '--pull-never',
      '--build-arg',
      'NODE_IMAGE=localhost/base',
    ];
    buildah('bud', '--quiet', ...options, ...files, '-t', 'localhost/built', context);
    this.config = JSON.parse(
      buildah('inspect', '--type', 'image', 'localhost/built'),
    ).Docker.config;
    this.root = buildah('mount', buildah('from', '--pull-never', 'localhost/built'));
  }

  /** Starts its entry point with these arguments as process 1, without rights. */
  start(args: readonly string[] = this.config.Cmd): Container {
    const { User, WorkingDir, Env, Entrypoint } = this.config;
    const script = [
      'ip link set lo up',
      'mount --bind "$0" "$0"',
      'mount -t proc proc "$0/proc"',
      'mount -o remount,bind,ro "$0"',
      `exec setpriv --no-new-privs chroot --userspec=${User} --groups= "$0" /usr/bin/env ` +
        `-i -C ${WorkingDir} "$@"`,
    ].join(' && ');
    const command = [this.root, ...Env, ...Entrypoint, ...args];
    return new Container(
      ['--pid', '--fork', '--kill-child', '--mount', '--net', 'sh', '-c', script, ...command],
      this.config,
    );
  }
}

export class Container {
  readonly ended: Promise<number | null>;
  output = '';
  readonly #parent;
  readonly #config: ImageConfig;

  constructor(args: readonly string[], config: ImageConfig) {
    this.#config = config;
    this.#parent = spawn('unshare', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#parent.stdout.on('data', (bytes: Buffer) => {
      this.output += bytes.toString();
    });
    this.ended = once(this.#parent, 'close').then(([code]) => code);
  }

  /** Resolves when the gateway in it is ready. */
  async ready(): Promise<void> {
    await until(() => this.output.includes('"msg":"ready"'));
  }

  /** Process 1 in it, as it is called outside; 0 before it is there and after it has ended. */
  get pid(): number {
    const { exitCode, signalCode } = this.#parent;
    return exitCode === null && signalCode === null ? (childrenOf(this.#parent)[0] ?? 0) : 0;
  }

  /** Runs a command in it, as `docker exec` does and health checks do. */
  run(...command: readonly string[]): SpawnSyncReturns<string> {
    const [user = '', group = ''] = this.#config.User.split(':');
    const inside = [
      '--target',
      `${this.pid}`,
      '--mount',
      '--net',
      '--pid',
      '--root',
      '--wd',
      '--setuid',
      user,
      '--setgid',
      group,
    ];
    return spawnSync(
      'nsenter',
      [...inside, '/usr/bin/env', '-i', ...this.#config.Env, ...command],
      {
        encoding: 'utf8',
      },
    );
  }
}

/** A folder with a shell, a few tools and this Node, with the libraries that they load. */
function baseFiles(folder: string): string {
  const copy = (from: string, to = from): void => {
    mkdirSync(join(folder, dirname(to)), { recursive: true });
    copyFileSync(from, join(folder, to));
  };
  const tools = ['/bin/sh', '/usr/bin/env', '/usr/bin/find', '/bin/rm'];
  for (const file of [...tools, process.execPath]) {
    const libraries =
      execFileSync('ldd', [file], { encoding: 'utf8' }).match(/\/[^\s:]+(?= \()/g) ?? [];
    for (const each of libraries) copy(each);
  }
  for (const file of tools) copy(file);
  copy(process.execPath, '/usr/local/bin/node');
  for (const name of ['proc', 'tmp', 'usr/local/lib/node_modules/npm'])
    mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'usr/local/bin/npm'), '');
  return folder;
}
