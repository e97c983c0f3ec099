import type { GraphqlServiceConfig, ServiceConfig } from '../config/schema.js';
import { HealthChecks } from '../upstream/health.js';
import type { Upstream, UpstreamOptions } from '../upstream/upstream.js';

/** The health checks of a service; null where none are configured. They are not started. */
export function compileHealth(
  { health, limits }: ServiceConfig | GraphqlServiceConfig,
  upstream: Upstream,
  options: UpstreamOptions,
): HealthChecks | null {
  if (health === undefined) return null;
  return new HealthChecks(upstream, limits.upstream, options, { ...health, path: health.path ?? null });
}
