import { useEffect, useState } from 'preact/hooks';
import type {
  ExchangeSummary,
  ExchangeView,
  MessageView,
} from '../../flow/inspect/exchange-view.js';
import { askExchange, askExchanges } from './client.js';
import { Prose } from './prose.js';
import { printSeconds, printTime } from './readings.js';
import { Table } from './table.js';

interface Props {
  readonly service: string;
  readonly operation: string;
  /** Whether the configuration keeps exchanges at all. */
  readonly isOn: boolean;
}

/** The latest exchanges of an operation with its backend. */
export function Inspector({ service, operation, isOn }: Props) {
  const [list, setList] = useState<readonly ExchangeSummary[] | null>(null);
  const [shown, setShown] = useState<ExchangeView | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const fail = (error: Error) => setProblem(error.message);
  const refresh = () => {
    setProblem(null);
    askExchanges(service, operation).then(setList, fail);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked for once, then by the button.
  useEffect(() => {
    if (isOn) {
      refresh();
    }
  }, [service, operation, isOn]);
  const show = (id: string, values: ExchangeView['values']) => {
    setProblem(null);
    askExchange(service, operation, id, values).then(setShown, fail);
  };
  if (!isOn) return <Off />;
  return (
    <>
      <Table
        title="Exchanges with the backend"
        columns={['Time', 'Request', '#Status', '#Took', 'Rule', '']}
        rows={(list ?? []).map(({ id, requestId, startedMillis, status, millis, code }) => [
          printTime(startedMillis),
          <code>{requestId}</code>,
          status === 0 ? '–' : status,
          printSeconds(millis / 1000),
          code === null ? '' : <code>{code}</code>,
          <button type="button" class="small" onClick={() => show(id, 'replaced')}>
            Show
          </button>,
        ])}
        empty={list === null ? 'Reading ...' : 'None since the start, or the last reload.'}
      />
      <button type="button" class="small" onClick={refresh}>
        Read again
      </button>
      <div aria-live="polite">
        {problem === null ? null : (
          <p class="bad">
            <Prose text={problem} />
          </p>
        )}
        {shown === null ? null : (
          <Exchange exchange={shown} showValues={() => show(shown.id, 'kept')} />
        )}
      </div>
    </>
  );
}

const Off = () => (
  <>
    <h2>Exchanges with the backend</h2>
    <p class="muted">
      None are kept. <code>console.inspect: {'{}'}</code> keeps the latest of each operation, with
      other values of the same class.
    </p>
  </>
);

interface ExchangeProps {
  readonly exchange: ExchangeView;
  readonly showValues: () => void;
}

function Exchange({ exchange, showValues }: ExchangeProps) {
  const { requestId, startedMillis, status, request, reply, values } = exchange;
  return (
    <section>
      <h3>
        {requestId}, {printTime(startedMillis)}
      </h3>
      <p class="muted">
        {values === 'replaced' ? (
          <>
            Values are replaced by others of their class.{' '}
            <button type="button" class="small" onClick={showValues}>
              Show values
            </button>
          </>
        ) : (
          'Values are those of the message, and this look is recorded. Masked fields stay replaced.'
        )}
      </p>
      <Message title="Request" message={request} />
      {reply === null ? (
        <p>No reply came.</p>
      ) : (
        <Message title={`Reply, status ${status}`} message={reply} />
      )}
    </section>
  );
}

const WHY: Readonly<Record<NonNullable<MessageView['why']>, string>> = {
  long: 'The message is longer than `limits.inspect.messageBytes`, or flowed past.',
  package: 'A package of parts is not kept.',
  unreadable: 'The message is no XML that can be read.',
};

function Message({ title, message }: { readonly title: string; readonly message: MessageView }) {
  const { fields, envelope, why } = message;
  return (
    <>
      <h4>{title}</h4>
      <pre>
        {fields.map(({ name, value }, at) => (
          <div key={at}>
            {name}: {value ?? <em>withheld</em>}
          </div>
        ))}
      </pre>
      {envelope === null ? (
        <p class="muted">
          <Prose text={why === null ? 'It has no content.' : WHY[why]} />
        </p>
      ) : (
        <pre>{envelope}</pre>
      )}
    </>
  );
}
