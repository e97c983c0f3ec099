import type { ConsoleDescription, ServiceDescription } from '../answers.js';
import { printRate, printSeconds, type Readings } from './readings.js';
import { Table } from './table.js';

interface Props {
  readonly readings: Readings;
  readonly description: ConsoleDescription;
}

export function Services({ readings, description: { services } }: Props) {
  return (
    <>
      <Table
        title="Services"
        columns={[
          'Service',
          'Speaks',
          'Mode',
          '#SOAP requests/s',
          '#median',
          '#p99',
          '#refused/s',
          '#failed/s',
          '#calls now',
          '#waiting',
          '#addresses at rest',
        ]}
        rows={services.map((service) => rowOf(service, readings))}
        empty="There are none."
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
          readings.values('soapstone_upstream_address_up', 'address', { service: name }).map((address) => {
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
      <Certificates readings={readings} />
    </>
  );
}

const EXPIRY = 'soapstone_upstream_certificate_expiry_timestamp_seconds';
const SOON_MILLIS = 30 * 86_400_000;

/** The earliest end of the certificates that the gateway uses at each service. */
function Certificates({ readings }: { readonly readings: Readings }) {
  const rows = readings.points(EXPIRY).map(({ labels, value }) => {
    const isSoon = value * 1000 - readings.now.atMillis < SOON_MILLIS;
    return [labels['service'], <span class={isSoon ? 'bad' : ''}>{new Date(value * 1000).toLocaleDateString()}</span>];
  });
  if (rows.length === 0) return null;
  return <Table title="Certificates of the gateway" columns={['Service', 'First one ends']} rows={rows} empty="" />;
}

function rowOf({ name, kind, mode, dialects }: ServiceDescription, readings: Readings) {
  const route = { route: name };
  const of = { service: name };
  const failed = readings.rate('soapstone_requests_total', { ...route, outcome: 'failed' });
  const resting = readings.total('soapstone_upstream_breakers_open', of);
  return [
    <a href={`#explorer/${encodeURIComponent(name)}`}>{name}</a>,
    kind === 'graphql' ? 'GraphQL' : `SOAP ${dialects.join(', ')}`,
    mode === 'monitor' ? <span class="bad">monitor</span> : (mode ?? ''),
    printRate(readings.rate('soapstone_requests_total', route)),
    printSeconds(readings.quantile(0.5, route)),
    printSeconds(readings.quantile(0.99, route)),
    printRate(readings.rate('soapstone_requests_total', { ...route, outcome: 'refused' })),
    <span class={failed > 0 ? 'bad' : ''}>{printRate(failed)}</span>,
    readings.total('soapstone_upstream_calls_active', of),
    readings.total('soapstone_upstream_calls_waiting', of),
    <span class={resting > 0 ? 'bad' : ''}>{resting}</span>,
  ];
}

function reasonsOf(readings: Readings, metric: string, labels: Readonly<Record<string, string>>): string {
  return readings
    .values(metric, 'reason', labels)
    .map((reason) => `${reason} ${readings.total(metric, { ...labels, reason })}`)
    .join(', ');
}
