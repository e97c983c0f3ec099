import { printTime, type Readings } from './readings.js';
import { Table } from './table.js';

const ACTIVE = 'soapstone_subscriptions_active';
const DRIFT = 'soapstone_wsdl_drift';
const TAKEN = 'soapstone_wsdl_taken_timestamp_seconds';

export function Streams({ readings }: { readonly readings: Readings }) {
  return (
    <>
      <Table
        title="Subscriptions"
        columns={['Field', '#that run']}
        rows={readings
          .values(ACTIVE, 'field')
          .map((field) => [field, readings.total(ACTIVE, { field })])}
        empty="None runs."
      />
      <p class="muted">
        WebSockets: {readings.total('soapstone_websockets')}; calls repeated for subscriptions:{' '}
        {readings.total('soapstone_subscription_pollers')}
      </p>
      <Table
        title="WSDLs that backends show, against those that are served"
        columns={['Service', 'Taken from the backend', '#breaking', '#dangerous', '#safe']}
        rows={[...new Set([DRIFT, TAKEN].flatMap((name) => readings.values(name, 'service')))].map(
          (service) => [
            service,
            takenAt(readings.total(TAKEN, { service })),
            ...['breaking', 'dangerous', 'safe'].map((severity) => {
              const count = readings.total(DRIFT, { service, severity });
              return <span class={count > 0 && severity !== 'safe' ? 'bad' : ''}>{count}</span>;
            }),
          ],
        )}
        empty="No service has `drift`, or none was looked at yet."
        note="The served WSDL stays. `soapstone diff OLD NEW --usage FILE` prints the differences, and which clients they meet."
      />
    </>
  );
}

const takenAt = (seconds: number): string => (seconds > 0 ? printTime(seconds * 1000) : '');
