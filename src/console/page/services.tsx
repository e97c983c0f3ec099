import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { HourReport, RouteHour } from '../../observe/hour-report.js';
import type { ConsoleDescription, ListenerEnd, ServiceDescription } from '../answers.js';
import { printRate, printSeconds, printTime, type Readings } from './readings.js';
import { Sparkline } from './sparkline.js';
import { Table } from './table.js';

interface Props {
  readonly readings: Readings;
  /** Null until it is read. */
  readonly hour: HourReport | null;
  readonly description: ConsoleDescription;
}

/** Services shown of a long list: the filter finds the others. */
const LISTED_MAX = 100;

export function Services({ readings, hour, description }: Props) {
  const { listenerEnds } = description;
  const [filter, setFilter] = useState('');
  const found = description.services.filter(({ name }) =>
    name.toLowerCase().includes(filter.trim().toLowerCase()),
  );
  const services = found.slice(0, LISTED_MAX);
  const hours = new Map(hour?.routes.map((each) => [each.route, each]));
  const hourOf = ({ name }: ServiceDescription) => <ServiceHour hour={hours.get(name)} of={hour} />;
  return (
    <>
      {description.services.length < FILTERED_FROM ? null : (
        <label>
          Services
          <input
            type="search"
            value={filter}
            placeholder={`${description.services.length} services: a part of the name`}
            onInput={({ currentTarget }) => setFilter(currentTarget.value)}
          />
        </label>
      )}
      <Table
        title="Services"
        columns={[
          'Service',
          'Speaks',
          'Mode',
          'The last hour',
          '#SOAP requests/s',
          '#median',
          '#p99',
          '#refused/s',
          '#failed/s',
          '#calls now',
          '#waiting',
          '#waiting for the rate',
          '#addresses at rest',
        ]}
        rows={services.map((service) => rowOf(service, hourOf(service), readings))}
        empty={
          description.services.length === 0
            ? 'There are none. Add one under `services` of the configuration.'
            : 'No service has such a name.'
        }
        note={
          found.length > LISTED_MAX
            ? `${found.length - LISTED_MAX} more: narrow the filter.`
            : undefined
        }
      />
      <Table
        title="Addresses"
        columns={[
          'Service',
          'Address',
          'State',
          '#calls/s',
          '#failed/s',
          'failed since the start',
          'ejected since the start',
        ]}
        rows={services.flatMap(({ name }) =>
          readings
            .values('soapstone_upstream_address_up', 'address', { service: name })
            .map((address) => {
              const labels = { service: name, address };
              const isUp = readings.total('soapstone_upstream_address_up', labels) > 0;
              const failed = readings.rate('soapstone_upstream_attempts_failed_total', labels);
              return [
                name,
                address,
                isUp ? 'called' : <span class="bad">at rest</span>,
                printRate(readings.rate('soapstone_upstream_attempts_total', labels)),
                <span class={failed > 0 ? 'bad' : ''}>{printRate(failed)}</span>,
                reasonsOf(readings, 'soapstone_upstream_attempts_failed_total', labels),
                reasonsOf(readings, 'soapstone_upstream_ejections_total', labels),
              ];
            }),
        )}
        empty="None has been called yet."
      />
      <NewBackends readings={readings} />
      <Shadows readings={readings} />
      <Certificates readings={readings} listenerEnds={listenerEnds} />
    </>
  );
}

/** A filter helps from so many services on. */
const FILTERED_FROM = 10;

interface ServiceHourProps {
  readonly hour: RouteHour | undefined;
  readonly of: HourReport | null;
}

const ServiceHour = ({ hour, of }: ServiceHourProps) =>
  of === null ? null : <Sparkline hour={hour} slotSeconds={of.slotSeconds} />;

/** The share of each new backend, and how its calls are. */
function NewBackends({ readings }: Pick<Props, 'readings'>) {
  const rows = readings.points('soapstone_canary_share').map(({ labels, value }) => {
    const of = { service: `${labels['service']}.canary` };
    const failed = readings.rate('soapstone_upstream_attempts_failed_total', of);
    return [
      String(labels['service']),
      `${Math.round(value * 1000) / 10} %`,
      printRate(readings.rate('soapstone_upstream_attempts_total', of)),
      <span class={failed > 0 ? 'bad' : ''}>{printRate(failed)}</span>,
      reasonsOf(readings, 'soapstone_upstream_attempts_failed_total', of),
    ];
  });
  if (rows.length === 0) return null;
  return (
    <Table
      title="New backends"
      columns={['Service', 'Share', '#calls/s', '#failed/s', 'failed since the start']}
      rows={rows}
      empty=""
    />
  );
}

/** How replies of second backends compare, by operation. */
function Shadows({ readings }: Pick<Props, 'readings'>) {
  const metric = 'soapstone_shadow_total';
  const names = new Set(
    readings.points(metric).map(({ labels }) => `${labels['service']} ${labels['operation']}`),
  );
  const rows = [...names].map((name) => {
    const [service = '', operation = ''] = name.split(' ');
    const count = (outcome: string) => readings.total(metric, { service, operation, outcome });
    const different = count('different');
    return [
      service,
      operation,
      count('same'),
      <span class={different > 0 ? 'bad' : ''}>{different}</span>,
      count('failed'),
      count('skipped'),
    ];
  });
  if (rows.length === 0) return null;
  return (
    <Table
      title="Shadows"
      columns={['Service', 'Operation', '#same', '#different', '#failed', '#skipped']}
      rows={rows}
      empty=""
    />
  );
}

const EXPIRY = 'soapstone_upstream_certificate_expiry_timestamp_seconds';
/** As `check` warns: authorities renew revocation lists every few days. */
const SOON_MILLIS = {
  certificate: 30 * 86_400_000,
  clientCa: 30 * 86_400_000,
  clientCrl: 86_400_000,
} as const;

interface CertificatesProps {
  readonly readings: Readings;
  readonly listenerEnds: readonly ListenerEnd[];
}

/**
 * The ends of what the gateway shows its callers and backends, and of what it verifies callers by.
 */
function Certificates({ readings, listenerEnds }: CertificatesProps) {
  const endOf = (kind: ListenerEnd['kind'], millis: number | null) => {
    const isSoon = millis !== null && millis - readings.now.atMillis < SOON_MILLIS[kind];
    return (
      <span class={isSoon ? 'bad' : ''}>{millis === null ? 'not known' : printTime(millis)}</span>
    );
  };
  const ofListeners = listenerEnds.map(({ key, address, kind, name, millis }) => [
    `${key} ${address}`,
    kind === 'certificate' ? `certificate${name === null ? '' : ` of ${name}`}` : VERIFIED_BY[kind],
    endOf(kind, millis),
  ]);
  const ofServices = readings
    .points(EXPIRY)
    .map(({ labels, value }) => [
      `service ${labels['service']}`,
      'certificate at the backend, or its authorities',
      endOf('certificate', value * 1000),
    ]);
  const rows = [...ofListeners, ...ofServices];
  if (rows.length === 0) return null;
  return (
    <Table
      title="Certificates"
      columns={['Place', 'Kind', 'First one ends']}
      rows={rows}
      empty=""
    />
  );
}

const VERIFIED_BY = { clientCa: 'authorities of clients', clientCrl: 'revocation lists' } as const;

function rowOf(
  { name, kind, mode, dialects }: ServiceDescription,
  hour: ComponentChildren,
  readings: Readings,
) {
  const route = { route: name };
  const of = { service: name };
  const failed = readings.rate('soapstone_requests_total', { ...route, outcome: 'failed' });
  const resting = readings.total('soapstone_upstream_breakers_open', of);
  return [
    <a href={`#explorer/${encodeURIComponent(name)}`}>{name}</a>,
    kind === 'graphql' ? 'GraphQL' : `SOAP ${dialects.join(', ')}`,
    mode === 'monitor' ? <span class="bad">monitor</span> : (mode ?? ''),
    hour,
    printRate(readings.rate('soapstone_requests_total', route)),
    printSeconds(readings.quantile(0.5, route)),
    printSeconds(readings.quantile(0.99, route)),
    printRate(readings.rate('soapstone_requests_total', { ...route, outcome: 'refused' })),
    <span class={failed > 0 ? 'bad' : ''}>{printRate(failed)}</span>,
    readings.total('soapstone_upstream_calls_active', of),
    readings.total('soapstone_upstream_calls_waiting', of),
    readings.total('soapstone_upstream_calls_paced', of),
    <span class={resting > 0 ? 'bad' : ''}>{resting}</span>,
  ];
}

function reasonsOf(
  readings: Readings,
  metric: string,
  labels: Readonly<Record<string, string>>,
): string {
  return readings
    .values(metric, 'reason', labels)
    .map((reason) => `${reason} ${readings.total(metric, { ...labels, reason })}`)
    .join(', ');
}
