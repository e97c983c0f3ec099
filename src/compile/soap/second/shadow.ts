import type { ShadowConfig } from '../../../config/backend/shadow-keys.js';
import type { ServiceConfig } from '../../../config/schema.js';
import { ShadowTraffic } from '../../../gateway/shadow/shadow-traffic.js';
import type { SecondBackend } from '../../backend/second-backend.js';
import type { ConfiguredService, Shadow } from '../service.js';
import { secondService } from './second-service.js';

/** The services with the second backends that get their reads as well. */
export const withShadows = (services: readonly ConfiguredService[]): readonly ConfiguredService[] =>
  services.map((service) => {
    const { config, second } = service;
    return config.shadow === undefined || second.shadow === null
      ? service
      : { ...service, shadow: compileShadow(service, config.shadow, second.shadow) };
  });

function compileShadow(
  service: ConfiguredService,
  { operations, ignore, share, callsAtOnce, waitingBytes }: ShadowConfig,
  backend: SecondBackend,
): Shadow {
  return {
    service: secondService(service, backend, service.callerFields),
    operations: new Set(operations ?? readsOf(service.config)),
    ignore: new Set(ignore),
    traffic: new ShadowTraffic({ share, callsAtOnce, waitingBytes }),
  };
}

/** The operations that are declared to read. */
const readsOf = ({ operations }: ServiceConfig): readonly string[] =>
  Object.entries(operations).flatMap(([name, mapping]) =>
    typeof mapping === 'object' && mapping.read !== undefined ? [name] : [],
  );
