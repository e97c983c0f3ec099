import type { Forwarding } from '../../../access/network/forwarding.js';
import type { Via } from '../../../access/network/via.js';
import type { CanaryConfig } from '../../../config/backend/canary-keys.js';
import { CanaryShare } from '../../../gateway/canary/canary-share.js';
import { compileCallerFields } from '../../backend/caller-fields.js';
import type { SecondBackend } from '../../backend/second-backend.js';
import { type Keeping, Kept } from '../../keep.js';
import type { Canary, ConfiguredService, SoapService } from '../service.js';
import { secondService } from './second-service.js';

export const SHARES = new Kept<CanaryShare>(
  'of `canary` of a service: the share, moved or gone back, and what its calls were like',
  'if `canary` is the same',
);

/** The parts of a canary that are the same for all services. */
export interface CanaryParts {
  readonly keeping: Keeping;
  readonly forwarding: Forwarding;
  readonly via: Via;
  /** Processes that take requests. */
  readonly processes: number;
}

/** The services with the canaries that they have: each is the service, called elsewhere. */
export const withCanaries = (
  services: readonly ConfiguredService[],
  parts: CanaryParts,
): readonly ConfiguredService[] =>
  services.map((service) => {
    const { config, second } = service;
    return config.canary === undefined || second.canary === null
      ? service
      : { ...service, canary: compileCanary(service, config.canary, second.canary, parts) };
  });

function compileCanary(
  service: ConfiguredService,
  keys: CanaryConfig,
  backend: SecondBackend,
  { keeping, forwarding, via, processes }: CanaryParts,
): Canary {
  const { digest, config } = backend.plan;
  const kept = [digest, processes];
  const share = SHARES.keep(keeping, service.name, kept, () => {
    const { failures, faultShare, p99Millis = null, windowMillis } = keys.back;
    return new CanaryShare({
      share: keys.share,
      isSticky: keys.sticky || service.callerFields.passesCookies,
      failures,
      faultShare,
      p99Millis,
      windowMillis,
      processes,
      salt: service.name,
    });
  });
  const fields = compileCallerFields(config, forwarding, via);
  const calledBy = (isAsked: boolean): SoapService => ({
    ...secondService(service, backend, fields),
    chosen: { digest, share, isAsked },
  });
  const [name = '', value = ''] = keys.header?.split(/: ?(.*)/s) ?? [];
  return {
    digest,
    share,
    header: keys.header === undefined ? null : { name: name.toLowerCase(), value },
    cookie: service.reach.affinity?.cookie ?? null,
    upstream: backend.upstream,
    byShare: calledBy(false),
    byHeader: calledBy(true),
  };
}
