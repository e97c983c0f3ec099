import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import t from 'tap';

import { type Container, Image, withoutImages } from '../kit/container.js';
import { childrenOf } from '../kit/gateway-process.js';
import { until } from '../kit/until.js';

/** The image of `deploy/Dockerfile`, built by buildah and run as process 1 without rights. */

const DOCKERFILE = readFileSync('deploy/Dockerfile', 'utf8');
const PACKAGE_DOCKERFILE = readFileSync('deploy/Dockerfile.package', 'utf8');
const IGNORED = readFileSync('deploy/Dockerfile.dockerignore', 'utf8');

/** Between the signals to a container that starts. */
const SIGNAL_MILLIS = 10;
/** Starts of a container that gets signals before it is ready. */
const TRIES_MAX = 5;

/** The steps of the stage that compiles, without their comments. */
const [BUILD_STAGE = ''] = DOCKERFILE.split(/^FROM \$\{NODE_IMAGE\}$/m);

t.test('the build stage copies all that the build reads', async (t) => {
  const [, list = ''] =
    /^const SOURCES = \[([^\]]*)\];$/m.exec(readFileSync('build.js', 'utf8')) ?? [];
  const sources = [...list.matchAll(/'([^']+)'/g)]
    .map(([, path = '']) => path)
    .filter((path) => path !== 'test');
  t.ok(sources.length > 5);
  const copied = [...BUILD_STAGE.matchAll(/^COPY (.*) \S+$/gm)].flatMap(([, paths = '']) =>
    paths.split(' '),
  );
  for (const path of [...sources, 'build.js']) {
    t.ok(copied.includes(path), `${path} is copied`);
    t.ok(IGNORED.split('\n').includes(`!${path}`), `${path} is sent to the builder`);
  }
});

t.test('the version in the labels is that of the package', async (t) => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  t.match(DOCKERFILE, `ARG VERSION=${version}\n`);
});

/** The steps of the last stage, but for where it takes files from. */
const stepsOf = (dockerfile: string): string =>
  dockerfile
    .slice(dockerfile.lastIndexOf('\nFROM '))
    .replaceAll(/^(?:#|COPY|ARG) .*\n/gm, '')
    .replaceAll(/\n+/g, '\n');

t.test('the image of the package is that of the sources', async (t) => {
  t.equal(stepsOf(PACKAGE_DOCKERFILE), stepsOf(DOCKERFILE));
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  t.match(PACKAGE_DOCKERFILE, `ARG VERSION=${version}\n`);
});

t.test('an image is built from the package alone', { skip: withoutImages() }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'soapstone-image-'));
  let container: Container | null = null;
  t.teardown(async () => {
    if (container !== null && container.pid > 0) process.kill(container.pid, 'SIGKILL');
    await container?.ended;
    rmSync(folder, { recursive: true });
  });
  const context = join(folder, 'context');
  mkdirSync(context);
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', context], {
    stdio: 'ignore',
  });
  const image = new Image(folder, PACKAGE_DOCKERFILE, '', context);
  const files = readdirSync(join(image.root, 'app'), { recursive: true, encoding: 'utf8' });
  t.same(
    files.filter((file) => {
      const { uid, mode } = statSync(join(image.root, 'app', file));
      return uid !== 0 || (mode & 0o022) !== 0;
    }),
    [],
    'files are those of root',
  );
  container = image.start();
  await container.ready();
  const [, ...health] = image.config.Healthcheck.Test;
  t.equal(container.run(...health).status, 0, 'healthy');
  process.kill(container.pid, 'SIGTERM');
  t.equal(await container.ended, 0, 'it drains');
});

t.test(
  'an image is built and runs as process 1 without rights',
  { skip: withoutImages() },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'soapstone-image-'));
    const running = new Set<Container>();
    t.teardown(async () => {
      for (const each of running) process.kill(each.pid, 'SIGKILL');
      await Promise.all([...running].map((each) => each.ended));
      rmSync(folder, { recursive: true });
    });
    // Compiled already: packages are not installed again, and nothing is compiled again.
    const stage = BUILD_STAGE.replace(/^RUN npm ci .*$/m, '')
      .replace('npm run build', 'true')
      .replace('COPY src ./src', 'COPY dist/bin ./dist/bin');
    const image = new Image(
      folder,
      DOCKERFILE.replace(BUILD_STAGE, stage),
      `${IGNORED}!dist/bin\n`,
    );
    const { root, config } = image;
    const start = (...args: Parameters<Image['start']>): Container => {
      const container = image.start(...args);
      running.add(container);
      void container.ended.then(() => running.delete(container));
      return container;
    };

    /** One that gets signals from the very start until it has ended. */
    const signalledEarly = async (): Promise<Container> => {
      const container = start();
      let hasEnded = false;
      void container.ended.then(() => {
        hasEnded = true;
      });
      // The first ones come before any code of the gateway.
      while (!hasEnded) {
        if (container.pid > 0) process.kill(container.pid, 'SIGTERM');
        await wait(SIGNAL_MILLIS);
      }
      return container;
    };

    t.match(config, {
      User: '1000:1000',
      StopSignal: 'SIGTERM',
      Labels: { 'org.opencontainers.image.title': 'soapstone' },
    });
    const files = readdirSync(join(root, 'app'), { recursive: true, encoding: 'utf8' });
    const writable = files.filter((file) => {
      const { uid, mode } = statSync(join(root, 'app', file));
      return uid !== 0 || (mode & 0o022) !== 0;
    });
    t.same(writable, [], 'files are those of root');
    t.same(readdirSync(join(root, 'usr/local/bin')), ['node'], 'no package manager');
    t.notOk(
      files.some((file) => file.endsWith('.ts')),
      'no sources',
    );
    const bill = JSON.parse(readFileSync(join(root, 'app/dist/bin/sbom.cdx.json'), 'utf8'));
    t.equal(bill.bomFormat, 'CycloneDX');

    const container = start();
    await container.ready();
    t.match(container.output, /"pid":1\b/);
    const ask =
      "fetch('http://127.0.0.1:4000/graphql?query={order(id:7){id}}').then((r) => " +
      'r.text()).then(console.log)';
    t.match(container.run('node', '-e', ask).stdout, '"id":7');
    const [kind = '', ...health] = config.Healthcheck.Test;
    t.equal(kind, 'CMD');
    t.equal(container.run(...health).status, 0, 'healthy');
    const write =
      `try { fs.writeFileSync('/tmp/a', '') } catch (error) ` + '{ console.log(error.code) }';
    t.equal(container.run('node', '-e', write).stdout, 'EROFS\n', 'nothing can be written');
    t.equal(container.run('node', '-e', 'console.log(process.getuid())').stdout, '1000\n');
    process.kill(container.pid, 'SIGTERM');
    t.equal(await container.ended, 0, 'it drains');
    t.match(container.output, '"msg":"stopped"');

    let early = await signalledEarly();
    // On a busy machine it may be ready before the next signal is sent, which shows nothing.
    for (let tries = 1; early.output.includes('"msg":"ready"') && tries < TRIES_MAX; tries++)
      early = await signalledEarly();
    t.equal(await early.ended, 143, 'signals while it starts end it');
    t.notMatch(early.output, 'ready');

    const several = start([...config.Cmd, '--workers', '2']);
    await several.ready();
    const [worker = 0] = childrenOf(several);
    process.kill(worker, 'SIGKILL');
    await until(() => several.output.includes('"msg":"a worker ended"'));
    t.notMatch(several.run('node', '-e', LIST_STATES).stdout, 'Z', 'no process is left dead');
    process.kill(several.pid, 'SIGTERM');
    t.equal(await several.ended, 0, 'its workers drain');
  },
);

/** Prints the states of all processes in a container, as proc(5) names them. */
const LIST_STATES = `for (const pid of fs.readdirSync('/proc').filter(Number))
  try { console.log(fs.readFileSync('/proc/' + pid + '/stat', \
'utf8').split(') ')[1][0]) } catch {}`;
