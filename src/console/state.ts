import type { Pace } from '../core/index.js';
import type { ConfigLoads } from '../observe/metrics/gauges.js';
import { type MetricList, pointsOf } from '../observe/metrics/metric-table.js';
import type { RecentLists } from '../observe/recent-lists.js';
import type { ConsoleState } from './answers.js';

/** The metrics that the page shows. */
const SHOWN: ReadonlySet<string> = new Set([
  'soapstone_requests_total',
  'soapstone_request_duration_seconds',
  'soapstone_refusals_total',
  'soapstone_monitored_violations_total',
  'soapstone_schema_violations_total',
  'soapstone_tolerated_total',
  'soapstone_faults_total',
  'soapstone_bytes_total',
  'soapstone_budget_points_total',
  'soapstone_budget_clients_nearly_empty',
  'soapstone_upstream_calls_active',
  'soapstone_upstream_calls_waiting',
  'soapstone_upstream_breakers_open',
  'soapstone_upstream_address_up',
  'soapstone_upstream_attempts_total',
  'soapstone_upstream_attempts_failed_total',
  'soapstone_upstream_ejections_total',
  'soapstone_upstream_certificate_expiry_timestamp_seconds',
  'soapstone_client_connections',
  'soapstone_websockets',
  'soapstone_subscriptions_active',
  'soapstone_subscription_pollers',
  'soapstone_cache_bytes',
  'soapstone_cache_entries',
  'soapstone_log_up',
  'soapstone_log_lines_waiting',
  'soapstone_log_lines_dropped_total',
  'soapstone_audit_up',
  'soapstone_audit_lines_waiting',
  'soapstone_audit_lines_dropped_total',
  'soapstone_canary_share',
  'soapstone_shadow_total',
  'soapstone_wsdl_drift',
  'soapstone_wsdl_taken_timestamp_seconds',
  'soapstone_shedding',
  'soapstone_event_loop_delay_seconds',
  'soapstone_workers',
  'soapstone_workers_answered',
  'soapstone_process_resident_memory_bytes',
  'soapstone_process_cpu_seconds_total',
]);

export async function stateOf(
  list: MetricList,
  pace: Pace,
  loads: ConfigLoads,
  recent: RecentLists,
): Promise<ConsoleState> {
  return {
    atMillis: Date.now(),
    loads: { ...loads },
    metrics: Object.fromEntries(await pace.run(pointsOf(list, SHOWN))),
    recent,
  };
}
