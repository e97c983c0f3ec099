import { execFileSync, spawnSync } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { HTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Service } from 'kubernetes-models/v1';
import t from 'tap';
import { parse, parseAllDocuments } from 'yaml';
import { run } from '../../src/cli/program.js';
import { loadConfig } from '../../src/config/load.js';

/** The manifests for Kubernetes, rendered and held to the schemas of its API. */

const missing = spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).error !== undefined;
const skip = missing && 'kubectl is not installed: apt-get install kubernetes-client';
const BASE = resolve('deploy/kubernetes');

/** As YAML has it. */
type Manifest = ReturnType<typeof parse>;

/** The schema of each kind, by the version that the manifest names. */
const KINDS = new Map<string, (manifest: Manifest) => void>([
  ['apps/v1 Deployment', (manifest) => new Deployment(manifest).validate()],
  ['v1 Service', (manifest) => new Service(manifest).validate()],
  ['v1 ConfigMap', (manifest) => new ConfigMap(manifest).validate()],
  ['autoscaling/v2 HorizontalPodAutoscaler', (manifest) => new HorizontalPodAutoscaler(manifest).validate()],
  ['policy/v1 PodDisruptionBudget', (manifest) => new PodDisruptionBudget(manifest).validate()],
  ['networking.k8s.io/v1 NetworkPolicy', (manifest) => new NetworkPolicy(manifest).validate()],
  ['monitoring.coreos.com/v1 ServiceMonitor', (manifest) => new ServiceMonitor(manifest).validate()],
  ['gateway.networking.k8s.io/v1 HTTPRoute', (manifest) => new HTTPRoute(manifest).validate()],
]);

t.test('every manifest is what the API of Kubernetes expects', { skip }, (t) => {
  const rendered = execFileSync('kubectl', ['kustomize', BASE], { encoding: 'utf8' });
  const manifests = parseAllDocuments(rendered).map((document) => document.toJS());
  const kinds = manifests.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`);
  t.same([...new Set(kinds)].sort(), [...KINDS.keys()].sort());
  for (const [index, manifest] of manifests.entries()) {
    const validate = KINDS.get(kinds[index] ?? '');
    t.doesNotThrow(() => validate?.(manifest), `${kinds[index]} ${manifest.metadata.name}`);
  }
  t.throws(() => KINDS.get('apps/v1 Deployment')?.({ spec: { selector: {}, endpoints: [] } }), 'a broken one is found');
  t.end();
});

t.test('ports, probes, drain and configuration of the pod fit the gateway', async (t) => {
  const { spec } = parse(await readFile(join(BASE, 'deployment.yaml'), 'utf8')).spec.template;
  const [container] = spec.containers;
  const directory = t.testdir({});
  const file = join(directory, 'soapstone.yaml');
  await cp('config/demo', join(directory, 'demo'), { recursive: true });
  const text = await readFile(join(BASE, 'soapstone.yaml'), 'utf8');
  await writeFile(file, text.replace('/app/config/demo', join(directory, 'demo')));
  const { config } = await loadConfig(file, {});
  const ports = new Map(container.ports.map(({ name, containerPort }: Port) => [name, `0.0.0.0:${containerPort}`]));
  t.equal(ports.get('traffic'), config.listen);
  t.equal(ports.get('admin'), config.admin);
  const [, wait = '0'] = container.lifecycle.preStop.exec.command;
  const { drainMillis } = config.limits.http;
  t.ok(spec.terminationGracePeriodSeconds * 1000 > Number(wait) * 1000 + drainMillis, 'a drain comes to its end');
  const lines: string[] = [];
  const terminal = { out: (line: string) => void lines.push(line), error: (line: string) => void lines.push(line) };
  t.equal(await run(['check', '-c', file], terminal), 0, lines.join('\n'));
});

interface Port {
  readonly name: string;
  readonly containerPort: number;
}
