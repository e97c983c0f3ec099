import './console.css';

import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { HourReport } from '../../observe/hour-report.js';
import type { ConsoleDescription, ConsoleState } from '../answers.js';
import { askDescription, askHour, askState, reload } from './client.js';
import { Clients } from './clients.js';
import { Contracts } from './contracts.js';
import { Explorer } from './explorer.js';
import { Overview } from './overview.js';
import { EVERY_MILLIS, READINGS_MAX, Readings } from './readings.js';
import { Refusals } from './refusals.js';
import { Services } from './services.js';
import { Streams } from './streams.js';

const PARTS = new Map([
  ['overview', 'Overview'],
  ['services', 'Services'],
  ['refusals', 'Refusals'],
  ['clients', 'Clients'],
  ['streams', 'Subscriptions, drift'],
  ['contracts', 'Contracts'],
  ['explorer', 'Operations'],
]);

/** A slot of the last hour takes as long. */
const HOUR_EVERY_MILLIS = 30_000;

/** The part of the page that the address names after `#`, and what follows it. */
const placeOf = (): readonly string[] => location.hash.slice(1).split('/').map(decodeURIComponent);

function Console() {
  const [place, setPlace] = useState(placeOf());
  const [states, setStates] = useState<readonly ConsoleState[]>([]);
  const [description, setDescription] = useState<ConsoleDescription | null>(null);
  const [hour, setHour] = useState<HourReport | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const generation = states.at(-1)?.loads.generation ?? null;

  useEffect(() => {
    const move = () => setPlace(placeOf());
    addEventListener('hashchange', move);
    return () => removeEventListener('hashchange', move);
  }, []);

  useEffect(() => {
    let isOver = false;
    const step = async () => {
      // A page that is not looked at costs the gateway nothing.
      if (!document.hidden) {
        try {
          const state = await askState();
          setStates((kept) => [...kept.slice(1 - READINGS_MAX), state]);
          setProblem(null);
        } catch (error) {
          setProblem(error instanceof Error ? error.message : String(error));
        }
      }
      if (!isOver) {
        setTimeout(step, EVERY_MILLIS);
      }
    };
    void step();
    return () => {
      isOver = true;
    };
  }, []);

  const [part = 'overview', ...rest] = place;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a part that is opened shows it anew.
  useEffect(() => {
    const ask = () => {
      if (!document.hidden) {
        askHour().then(setHour, () => {});
      }
    };
    ask();
    const timer = setInterval(ask, HOUR_EVERY_MILLIS);
    document.addEventListener('visibilitychange', ask);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', ask);
    };
  }, [part]);

  const showsEnds = part === 'services';

  // biome-ignore lint/correctness/useExhaustiveDependencies: certificates rotate without a reload.
  useEffect(() => {
    if (generation === null) return;
    askDescription().then(setDescription, (error: Error) => setProblem(error.message));
  }, [generation, showsEnds]);

  return (
    <>
      <header>
        <h1>
          Soapstone <small>{description?.version}</small>
        </h1>
        <nav aria-label="Parts of the console">
          <ul>
            {[...PARTS].map(([key, title]) => (
              <li key={key}>
                <a
                  href={`#${key}`}
                  aria-current={key === (PARTS.has(part) ? part : 'overview') ? 'page' : undefined}
                >
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <ReloadButton />
      </header>
      <main>
        <p role="status">
          {problem === null ? null : (
            <span class="bad">The gateway does not answer ({problem}); the figures are old.</span>
          )}
        </p>
        {states.length === 0 || description === null ? (
          <p aria-busy="true">Reading ...</p>
        ) : (
          <Part part={part} rest={rest} states={states} hour={hour} description={description} />
        )}
      </main>
    </>
  );
}

interface PartProps {
  readonly part: string;
  readonly rest: readonly string[];
  readonly states: readonly ConsoleState[];
  readonly hour: HourReport | null;
  readonly description: ConsoleDescription;
}

function Part({ part, rest, states, hour, description }: PartProps) {
  const readings = new Readings(states);
  switch (part) {
    case 'services':
      return <Services readings={readings} hour={hour} description={description} />;
    case 'refusals':
      return <Refusals readings={readings} description={description} id={rest[0] ?? ''} />;
    case 'clients':
      return <Clients readings={readings} description={description} />;
    case 'streams':
      return <Streams readings={readings} />;
    case 'contracts':
      return <Contracts readings={readings} description={description} />;
    case 'explorer':
      return (
        <Explorer
          readings={readings}
          description={description}
          service={rest[0] ?? null}
          name={rest[1] ?? null}
        />
      );
    default:
      return <Overview readings={readings} states={states} hour={hour} description={description} />;
  }
}

function ReloadButton() {
  const [text, setText] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  // As a modal one it takes the focus, and Escape closes it.
  useEffect(() => {
    if (text !== null) {
      dialog.current?.showModal();
    }
  }, [text]);
  const ask = async () => {
    setBusy(true);
    try {
      const { generation, problems } = await reload();
      const lines = problems.map(
        ({ file, line, what }) => `${file ?? ''}${line === null ? '' : `:${line}`} ${what}`,
      );
      setText(
        problems.length === 0
          ? `The configuration was reloaded: generation ${generation}.`
          : `The configuration was refused, generation ${generation} stays:\n${lines.join('\n')}`,
      );
    } catch (error) {
      setText(error instanceof Error ? error.message : String(error));
    }
    setBusy(false);
  };
  return (
    <>
      <button type="button" aria-busy={isBusy} onClick={() => void ask()}>
        Reload configuration
      </button>
      <dialog ref={dialog} aria-label="Reload" onClose={() => setText(null)}>
        <article>
          <pre>{text}</pre>
          <button type="button" onClick={() => dialog.current?.close()}>
            Close
          </button>
        </article>
      </dialog>
    </>
  );
}

render(<Console />, document.body);
