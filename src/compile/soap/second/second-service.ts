import type { CallerFieldRules } from '../../backend/caller-fields.js';
import type { SecondBackend } from '../../backend/second-backend.js';
import type { SoapService } from '../service.js';

/**
 * A service as its second backend is called: the same messages, over other connections. Tokens of
 * its session, which are credentials of the service, go to its own server alone.
 */
export function secondService(
  service: SoapService,
  { plan, upstream, reach, callRules }: SecondBackend,
  callerFields: CallerFieldRules,
): SoapService {
  const isOwnServer = plan.isSameOrigin && !plan.hasOwnAuth;
  const { hasMadeSecurity } = plan;
  return {
    ...service,
    upstream,
    reach,
    callRules,
    callerFields,
    session: isOwnServer ? service.session : null,
    security: hasMadeSecurity ? service.security : null,
    signing: hasMadeSecurity ? service.signing : null,
    encryption: hasMadeSecurity ? service.encryption : null,
    health: null,
    canary: null,
    shadow: null,
    recording: null,
    inspection: null,
  };
}
