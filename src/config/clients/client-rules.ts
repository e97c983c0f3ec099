import { isRecord, jsonValues, type Steps, spelling } from '../../core/index.js';
import { x509 } from '../../wss/index.js';
import { type ConfigPath, printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';
import { textAtKey } from '../keys/key-text.js';
import { asksForCertificates } from '../listen/listen-rules.js';
import { credentialRules, SECTIONS } from './credential-rules.js';
import { jwtEntries, tokenRules } from './token-rules.js';

/** Rules between the keys of `clients`: names must exist, and some client must be able to call. */
export function* clientRules(data: Record<string, unknown>): Steps<readonly Finding[]> {
  const clients = data['clients'];
  if (!isRecord(clients)) return [];
  const path: ConfigPath = ['clients'];
  const names = classNames(clients, path);
  yield;
  const same = yield* sameSecrets(clients, path);
  return [
    ...identifications(clients, path, asksForCertificates(data)),
    ...names,
    ...tokenRules(clients, path),
    ...credentialRules(clients, path),
    ...same,
    ...senders(data, clients, path),
  ];
}

/** Each identification is configured and in the order; one without the other locks clients out. */
function identifications(
  clients: Record<string, unknown>,
  path: ConfigPath,
  isAsked: boolean,
): readonly Finding[] {
  const { order } = clients;
  const named = Array.isArray(order) ? order.map(textAtKey) : Object.keys(SECTIONS);
  const configured = Object.entries(SECTIONS).filter(
    ([, section]) => clients[section] !== undefined,
  );
  const findings = configured
    .filter(([way]) => !named.includes(way))
    .map(([way, section]): Finding => {
      const what =
        `${printPath([...path, section])} has no effect: \`${way}\` is not in ` +
        `${printPath([...path, 'order'])}.`;
      return { path: [...path, section], part: 'key', what, remedy: 'Add it there, or remove it.' };
    });
  const { certificate, trustedProxies, classes } = clients;
  const trusts = Array.isArray(trustedProxies) && trustedProxies.length > 0;
  if (configured.length > 0 && classes === undefined) {
    const what = `${printPath([...path, 'classes'])} is missing.`;
    findings.push({ path, part: 'key', what, remedy: 'State what clients may do.' });
  }
  // Proxies alone give the addresses of clients.
  if (configured.length === 0 && (classes !== undefined || !trusts)) {
    const remedy =
      'Configure `apiKeys`, `basic`, `jwt`, `introspection`, `certificate`, `wsSecurity`, ' +
      '`networks` or `address`.';
    findings.push({
      path,
      part: 'key',
      what: 'No client could call: nothing identifies clients.',
      remedy,
    });
  }
  if (isRecord(certificate) && !trusts && !isAsked) {
    const what =
      `${printPath([...path, 'certificate'])} needs \`trustedProxies\`, ` +
      'or `clientCertificate` of a listener: its header is trusted from these proxies only.';
    const remedy =
      'Name the proxies that verify them, or set `clientCertificate` in `tls` of a listener.';
    findings.push({ path: [...path, 'certificate'], part: 'key', what, remedy });
  }
  return findings;
}

/** Every class that is named exists. */
function classNames(clients: Record<string, unknown>, path: ConfigPath): readonly Finding[] {
  const { classes } = clients;
  if (!isRecord(classes)) return [];
  const known = Object.keys(classes);
  const findings: Finding[] = [];
  const check = (owner: unknown, at: ConfigPath): void => {
    if (
      !isRecord(owner) ||
      typeof owner['class'] !== 'string' ||
      Object.hasOwn(classes, owner['class'])
    ) {
      return;
    }
    const what = `${printPath([...at, 'class'])} is none of ${printPath([...path, 'classes'])}.`;
    const remedy =
      spelling.didYouMean(owner['class'], known) ?? `Known: ${known.slice(0, 20).join(', ')}.`;
    findings.push({ path: [...at, 'class'], part: 'value', what, remedy });
  };
  for (const { entry, path: at } of jwtEntries(clients, path)) {
    check(entry, at);
  }
  for (const section of Object.values(SECTIONS)) {
    const way = clients[section];
    if (section !== 'jwt') {
      check(way, [...path, section]);
    }
    if (!isRecord(way)) continue;
    // Networks are listed by themselves.
    const [listed, at] =
      section === 'networks'
        ? [way, [...path, section]]
        : section === 'basic'
          ? [way['users'], [...path, section, 'users']]
          : [way['clients'], [...path, section, 'clients']];
    for (const [name, client] of jsonValues.recordEntries(listed)) {
      check(client, [...at, name]);
    }
  }
  return findings;
}

/** A sender is named in one way, by one client, and some service verifies messages. */
function senders(
  data: Record<string, unknown>,
  { wsSecurity }: Record<string, unknown>,
  path: ConfigPath,
): readonly Finding[] {
  if (!isRecord(wsSecurity)) return [];
  const findings: Finding[] = [];
  const services = isRecord(data['services']) ? Object.values(data['services']) : [];
  const isVerified = services.some(
    (service) =>
      isRecord(service) &&
      isRecord(service['security']) &&
      service['security']['verify'] !== undefined,
  );
  if (!isVerified) {
    const what =
      `${printPath([...path, 'wsSecurity'])} identifies no clients: ` +
      'no service has `security.verify`.';
    const remedy = 'Let a service verify messages, or remove it.';
    findings.push({ path: [...path, 'wsSecurity'], part: 'key', what, remedy });
  }
  const owners = new Map<string, string>();
  for (const [name, client] of jsonValues.recordEntries(wsSecurity['clients'])) {
    if (!isRecord(client)) continue;
    const at: ConfigPath = [...path, 'wsSecurity', 'clients', name];
    const { class: _class, ...ways } = client;
    const [way, ...others] = Object.entries(ways);
    if (way === undefined || others.length > 0) {
      const what = `${printPath(at)} must have exactly one of \`certificate\`, \`user\` and \`saml\`.`;
      findings.push({ path: at, part: 'key', what, remedy: 'Name one client for each.' });
      continue;
    }
    const [kind, value] = way;
    const key = `${kind} ${JSON.stringify(typeof value === 'string' ? (x509.configuredNameKey(value) ?? value) : value)}`;
    const owner = owners.get(key);
    owners.set(key, name);
    if (owner === undefined) continue;
    const what = `${printPath(at)} is the sender that \`${owner}\` is too.`;
    findings.push({ path: at, part: 'key', what, remedy: 'Name each sender once.' });
  }
  return findings;
}

/** Two clients with the same key or certificate would be one. */
function* sameSecrets(
  clients: Record<string, unknown>,
  path: ConfigPath,
): Steps<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const section of ['apiKeys', 'certificate']) {
    const way = clients[section];
    const owners = new Map<string, string>();
    for (const [name, client] of jsonValues.recordEntries(isRecord(way) ? way['clients'] : null)) {
      if (!isRecord(client)) continue;
      yield;
      const secrets = Array.isArray(client['keys']) ? client['keys'] : [client['subject']];
      for (const secret of secrets) {
        if (typeof secret !== 'string') continue;
        // Two orders of one subject are one.
        const key = section === 'certificate' ? (x509.configuredNameKey(secret) ?? secret) : secret;
        const owner = owners.get(key);
        if (owner === undefined) {
          owners.set(key, name);
        } else {
          const at: ConfigPath = [...path, section, 'clients', name];
          const what =
            `${printPath(at)} has a ${section === 'apiKeys' ? 'key' : 'subject'} ` +
            `that \`${owner}\` has too.`;
          findings.push({ path: at, part: 'key', what, remedy: 'Give each client its own.' });
        }
      }
    }
  }
  return findings;
}
