import { useEffect, useState } from 'preact/hooks';
import type {
  ConsoleDescription,
  OperationDescription,
  ServiceDescription,
  TriedMessage,
} from '../answers.js';
import { askOperation, send } from './client.js';
import { Entry } from './entry.js';
import { Inspector } from './inspector.js';
import { LastRefusals } from './last-refusals.js';
import type { Readings } from './readings.js';

interface Props {
  readonly readings: Readings;
  readonly description: ConsoleDescription;
  readonly service: string | null;
  readonly name: string | null;
}

/** Operations shown of a long list: the filter finds the others. */
const LISTED_MAX = 200;

const linkTo = (service: string, name: string): string =>
  `#explorer/${encodeURIComponent(service)}/${encodeURIComponent(name)}`;

const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;

export function Explorer({ readings, description, service, name }: Props) {
  const [filter, setFilter] = useState('');
  const services = description.services.filter(({ kind }) => kind === 'soap');
  const current = services.find((each) => each.name === service) ?? services[0];
  if (current === undefined) return <p class="muted">No service speaks SOAP.</p>;
  const found = current.operations.filter((each) =>
    each.name.toLowerCase().includes(filter.toLowerCase()),
  );
  return (
    <div class="explorer">
      <div>
        <label>
          Service
          <select
            value={current.name}
            onChange={({ currentTarget }) => {
              location.hash = `#explorer/${encodeURIComponent(currentTarget.value)}`;
            }}
          >
            {services.map((each) => (
              <option key={each.name}>{each.name}</option>
            ))}
          </select>
        </label>
        <label>
          Operations
          <input
            type="search"
            value={filter}
            placeholder={counted(current.operations.length, 'operation')}
            onInput={({ currentTarget }) => setFilter(currentTarget.value)}
          />
        </label>
        <ul aria-label="Operations">
          {found.slice(0, LISTED_MAX).map((each) => (
            <li key={each.name}>
              <a
                href={linkTo(current.name, each.name)}
                aria-current={each.name === name ? 'true' : undefined}
              >
                {each.name} {each.status === 'ok' ? '' : `(${each.status})`}
              </a>
            </li>
          ))}
        </ul>
        {found.length > LISTED_MAX ? (
          <p class="muted">{found.length - LISTED_MAX} more: narrow the filter.</p>
        ) : null}
      </div>
      <div>
        {name === null ? (
          <p class="muted">Choose an operation.</p>
        ) : (
          <Operation
            key={`${current.name}/${name}`}
            readings={readings}
            description={description}
            service={current}
            name={name}
          />
        )}
      </div>
    </div>
  );
}

interface OperationProps {
  readonly readings: Readings;
  readonly description: ConsoleDescription;
  readonly service: ServiceDescription;
  readonly name: string;
}

function Operation({ readings, description, service, name }: OperationProps) {
  const [operation, setOperation] = useState<OperationDescription | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    askOperation(service.name, name).then(setOperation, (error: Error) =>
      setProblem(error.message),
    );
  }, [service.name, name]);
  if (problem !== null) return <p class="bad">{problem}</p>;
  if (operation === null) return <p aria-busy="true">Reading ...</p>;
  const { documentation, reasons, query, envelope, soapAction, docs } = operation;
  const [own, ...types] = docs;
  const line = service.operations.find((each) => each.name === name);
  const soapHeaders: Record<string, string> = {
    'content-type': `${service.message?.mediaType ?? 'text/xml'}; charset=utf-8`,
    ...(service.message?.hasActionField === false ? {} : { soapaction: `"${soapAction ?? ''}"` }),
  };
  return (
    <>
      <h2>{name}</h2>
      {documentation === null || own !== undefined ? null : <p>{documentation}</p>}
      <p class="muted">
        {line?.field === null || line === undefined
          ? 'GraphQL does not offer it.'
          : `GraphQL: ${line.field}.`}{' '}
        {soapAction === null ? '' : `SOAPAction: ${soapAction}`}
      </p>
      {reasons.length === 0 ? null : (
        <ul>
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
      <LastRefusals
        readings={readings}
        description={description}
        service={service.name}
        name={name}
      />
      <Inspector service={service.name} operation={name} isOn={description.inspects} />
      {query === null && envelope === null ? (
        <p class="muted">There is no sample: a value in it would have to be known.</p>
      ) : null}
      {query === null ? null : (
        <Message
          title="GraphQL"
          text={query}
          isOpen={description.tryOut}
          credentialFields={description.credentialFields}
          send={(text, credentials) =>
            send(
              description.graphqlPath,
              { 'content-type': 'application/json', ...credentials },
              JSON.stringify({ query: text }),
            )
          }
        />
      )}
      {envelope === null ? null : (
        <Message
          title="SOAP"
          text={indent(envelope)}
          isOpen={description.tryOut && service.path !== null}
          credentialFields={description.credentialFields}
          send={(text, credentials) =>
            send(service.path ?? '', { ...soapHeaders, ...credentials }, text)
          }
        />
      )}
      {own === undefined ? null : <Entry entry={own} />}
      {types.length === 0 ? null : (
        <details>
          <summary>Faults and types</summary>
          {types.map((entry) => (
            <Entry key={entry.name} entry={entry} />
          ))}
        </details>
      )}
    </>
  );
}

interface MessageProps {
  readonly title: string;
  readonly text: string;
  /** Whether it can be sent. */
  readonly isOpen: boolean;
  readonly credentialFields: readonly string[];
  readonly send: (text: string, credentials: Record<string, string>) => Promise<TriedMessage>;
}

function Message(props: MessageProps) {
  const [text, setText] = useState(props.text);
  const [credentials, setCredentials] = useState<Record<string, string>>({});
  const [answer, setAnswer] = useState<TriedMessage | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const label = `Sample for ${props.title}`;
  if (!props.isOpen) {
    return (
      <>
        <h3>{props.title}</h3>
        <pre>{props.text}</pre>
      </>
    );
  }
  const ask = () => {
    setProblem(null);
    setAnswer(null);
    const given = Object.fromEntries(
      Object.entries(credentials).filter(([, value]) => value !== ''),
    );
    props.send(text, given).then(setAnswer, (error: Error) => setProblem(error.message));
  };
  return (
    <>
      <h3>{props.title}</h3>
      <textarea
        aria-label={label}
        rows={Math.min(20, text.split('\n').length + 1)}
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          ask();
        }}
      >
        {props.credentialFields.map((field) => (
          <label key={field}>
            {field}
            <input
              type="password"
              autocomplete="off"
              placeholder={
                field === 'authorization'
                  ? 'Bearer ..., where callers need it'
                  : 'where callers need it'
              }
              value={credentials[field] ?? ''}
              onInput={({ currentTarget }) =>
                setCredentials({ ...credentials, [field]: currentTarget.value })
              }
            />
          </label>
        ))}
        <button type="submit">Send to the gateway</button>
      </form>
      <div aria-live="polite">
        {problem === null ? null : <p class="bad">{problem}</p>}
        {answer === null ? null : (
          <>
            <p>
              Status {answer.status}, {answer.millis} ms{answer.isCut ? ', cut' : ''}
            </p>
            <pre>{indent(answer.body)}</pre>
          </>
        )}
      </div>
    </>
  );
}

/** For people: XML or JSON with a line for each element or member. Anything else as it is. */
function indent(text: string): string {
  if (text.startsWith('{')) {
    try {
      return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      return text;
    }
  }
  let depth = 0;
  return text.replace(/>\s*</g, '>\n<').replace(/^.*$/gm, (line) => {
    if (line.startsWith('</')) {
      depth--;
    }
    const indented = '  '.repeat(Math.max(0, depth)) + line;
    if (/^<[^/?!]/.test(line) && !line.includes('</') && !line.endsWith('/>')) {
      depth++;
    }
    return indented;
  });
}
