import { OrderedAccess, UNRESTRICTED } from '../../access/access.js';
import type { ApiKeyClient } from '../../access/api-keys.js';
import { Networks } from '../../access/network/networks.js';
import { BasicUsers, basicUser } from '../../access/passwords/basic.js';
import { bearerKeys } from '../../access/tokens/bearer-keys.js';
import { isReachable } from '../../config/keys/address.js';
import { type Finding, finding } from '../../config/keys/finding.js';
import type { AdminListenerConfig } from '../../config/listen/listen-keys.js';
import type { ListenerPlan } from '../../config/plans/listener-plan.js';
import { invariant } from '../../core/index.js';
import type { Listener } from '../../listen/listeners.js';
import { certificateOf } from '../../listen/peer-certificate.js';
import type { AdminAccess } from '../../observe/admin.js';
import { compileListeners } from './listeners.js';

/** An address for operators, and the credentials it needs. */
export interface AdminListener extends Listener {
  readonly access: AdminAccess;
}

/**
 * Compiles the addresses of `admin`. Throws `FindingsError` for certificates that cannot be
 * used.
 */
export const compileAdmin = (
  plans: readonly ListenerPlan<AdminListenerConfig>[],
): readonly AdminListener[] =>
  compileListeners(plans).map((listener, index) => {
    const plan = plans[index];
    invariant(plan !== undefined, 'each listener has its entry');
    return { ...listener, access: accessOf(plan.config) };
  });

function accessOf(config: AdminListenerConfig): AdminAccess {
  const { basic, bearer } = config;
  const permitsPosts = !isExposed(config);
  const compresses = (config.tls?.clientCertificate ?? 'none') === 'none';
  if (basic === undefined && bearer === undefined) {
    const isCertified = config.tls?.clientCertificate === 'required';
    const identify: AdminAccess['identify'] = ({ socket }) => certificateOf(socket)?.subject ?? '';
    return { identify: isCertified ? identify : null, permitsPosts, compresses };
  }
  const users = Object.entries(basic?.users ?? {}).map(([name, { password }]) =>
    basicUser(name, UNRESTRICTED, password),
  );
  const access = new OrderedAccess([
    // First, for its challenge: a browser answers no other.
    ...(users.length === 0 ? [] : [new BasicUsers(users, new Networks([]))]),
    ...(bearer === undefined ? [] : [bearerKeys(namedTokens(bearer.tokens))]),
  ]);
  return {
    async identify(caller) {
      const { by, name } = await access.identify(caller);
      return by === 'basic' ? `basic:${name}` : (name ?? '');
    },
    permitsPosts,
    compresses,
  };
}

/** Tokens have no names: the log has their number in the configuration. */
const namedTokens = (tokens: readonly string[]): readonly ApiKeyClient[] =>
  tokens.map((token, index) => ({
    name: `bearer:${index + 1}`,
    rights: UNRESTRICTED,
    keys: [token],
  }));

/** Whether other machines reach an address, and need no credentials there. */
function isExposed({ address, tls, basic, bearer }: AdminListenerConfig): boolean {
  if (basic !== undefined || bearer !== undefined || tls?.clientCertificate === 'required') {
    return false;
  }
  return isReachable(address);
}

/** Warns of addresses of operators that other machines reach without credentials. */
export const warningsOfAdmin = (
  plans: readonly ListenerPlan<AdminListenerConfig>[],
): readonly Finding[] =>
  plans.flatMap(({ key, config }): readonly Finding[] => {
    if (!isExposed(config)) return [];
    const what =
      `Other machines can reach the admin address ${config.address} without credentials: ` +
      'it shows metrics, and refuses reloads and the exchanges of `console.inspect`.';
    const remedy =
      'Listen on 127.0.0.1, or give it `basic`, `bearer` or `tls.clientCertificate: required`.';
    return [finding(key, what, remedy)];
  });
