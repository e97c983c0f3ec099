import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/load.js';
import { readWsdl } from '../../src/wsdl/read.js';

/** The configurations that are shipped ready to run. */

const OFFLINE = { fetch: null, root: null, hosts: [] };

t.test('the demonstration loads, and names operations that its WSDL has', async (t) => {
  for (const file of ['config/soapstone.yaml', 'deploy/soapstone.yaml']) {
    const { config } = await loadConfig(file, {});
    const service = config.services['orders'];
    // The container holds the documents beside its own configuration, as config/ does here.
    const model = await readWsdl(join('config', service?.wsdl ?? ''), OFFLINE);
    t.same(model.warnings, [], `${file}: nothing in the WSDL is left out`);
    t.same(
      model.services[0]?.ports.map(({ dialect, address }) => [dialect, address]),
      [
        ['1.1', service?.urls[0]],
        ['1.2', service?.urls[0]],
      ],
    );
    const operations = new Map(
      model.services[0]?.ports[0]?.operations.map(({ name, status }) => [name, status]),
    );
    for (const name of Object.keys(service?.operations ?? {}))
      t.equal(operations.get(name), 'ok', `${file}: ${name}`);
    t.equal(
      `http://${config.demo?.listen}/orders`,
      service?.urls[0],
      'the bundled backend listens where the service calls',
    );
  }
});

t.test(
  'the container publishes the traffic address only, and runs with as few rights as will do',
  async (t) => {
    const compose: unknown = parse(await readFile('deploy/docker-compose.yaml', 'utf8'));
    t.match(compose, {
      services: {
        soapstone: {
          read_only: true,
          cap_drop: ['ALL'],
          security_opt: ['no-new-privileges:true'],
          ports: ['127.0.0.1:4000:4000'],
        },
      },
    });
    const prometheus: unknown = parse(await readFile('deploy/prometheus.yaml', 'utf8'));
    t.match(prometheus, {
      scrape_configs: [
        { metrics_path: '/metrics', static_configs: [{ targets: ['soapstone:4001'] }] },
      ],
    });
    t.match(await readFile('deploy/Dockerfile', 'utf8'), /^USER 1000:1000$/m);
  },
);
