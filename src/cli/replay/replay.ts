import { Buffer } from 'node:buffer';
import { writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { loadConfig } from '../../config/load.js';
import { asRefusal, defaultsOf, diagnosis, errorCode } from '../../core/index.js';
import { compareReplies } from '../../flow/compare/compare-replies.js';
import { ReplyReader } from '../../flow/compare/reply-reader.js';
import type { ExitCode, Terminal } from '../../process/terminal.js';
import { MIME_LIMITS } from '../../soap/index.js';
import { ReaderPool, XML_LIMITS } from '../../xml/index.js';
import { counted, oneLine } from '../table.js';
import { type RecordedExchange, type RecordedExchanges, readRecording } from './read-recording.js';
import { printJson, printJunit, printWords, type ReplayedExchange } from './replay-report.js';

export interface ReplayOptions {
  /** The address of the backend. */
  readonly against: string;
  readonly json: boolean;
  /** The file of a report as JUnit XML; null for none. */
  readonly junit: string | null;
  /** Header fields, `Name: value`. */
  readonly header: readonly string[];
  /** The configuration that has the credentials of the service; null for none. */
  readonly config: string | null;
  /** Requests whose values were replaced are sent. */
  readonly replaced: boolean;
  /** Requests a second; null: as fast as replies come. */
  readonly rate: string | null;
  /** Operations that write and are sent all the same. */
  readonly writes: readonly string[];
  /** Paths that are not compared. */
  readonly ignore: readonly string[];
}

/** Requests that are under way at one time. */
const AT_ONCE = 4;
/** The longest wait for a reply. */
const REPLY_MILLIS_MAX = 60_000;

/**
 * Sends the recorded reads to a backend and compares its replies with the recorded ones. Exits with
 * 1 when one differs or fails. Throws `ConfigurationError`.
 */
export async function replayRecording(
  folder: string,
  options: ReplayOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const target = targetOf(options.against);
  const perSecond = rateOf(options.rate);
  const recording = await readRecording(folder);
  const fields = await fieldsOf(recording, options);
  const chosen = choose(folder, recording, options);
  const results: ReplayedExchange[] = [];
  const started = Date.now();
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < chosen.length; at = next++) {
      const exchange = chosen[at];
      if (exchange === undefined) return;
      if (perSecond !== null) {
        await setTimeout(Math.max(0, started + (at * 1000) / perSecond - Date.now()));
      }
      results[at] = await replayOne(exchange, recording, { target, fields, ...options });
      terminal.progress?.(`${at + 1} of ${chosen.length}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  terminal.progress?.(null);
  const skipped = recording.exchanges.length - chosen.length;
  if (options.junit !== null) {
    await writeFile(options.junit, printJunit(results));
  }
  terminal.out(options.json ? printJson(results, skipped) : printWords(results, skipped));
  return results.every(({ outcome }) => outcome === 'same') ? 0 : 1;
}

function targetOf(against: string): URL {
  const url = URL.canParse(against) ? new URL(against) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw diagnosis.unplacedError(
      `${oneLine(against)} is no address of a backend.`,
      'Give it as --against http://HOST/PATH.',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw diagnosis.unplacedError(
      `The address of ${url.host} has credentials in it.`,
      "Give them as --header 'Authorization: ...'.",
    );
  }
  return url;
}

function rateOf(rate: string | null): number | null {
  if (rate === null) return null;
  const perSecond = Number(rate);
  if (!(perSecond > 0) || perSecond > 1_000_000) {
    throw diagnosis.unplacedError(
      `${oneLine(rate)} is no rate.`,
      'Give requests a second, such as --rate 5 or --rate 0.5.',
    );
  }
  return perSecond;
}

/** The exchanges that are sent. Throws where there are none, or their values were replaced. */
function choose(
  folder: string,
  { exchanges }: RecordedExchanges,
  { replaced, writes }: ReplayOptions,
): readonly RecordedExchange[] {
  const chosen = exchanges.filter(
    ({ description: { kind, operation } }) => kind === 'read' || writes.includes(operation),
  );
  if (chosen.length === 0) {
    const found = `${counted(exchanges.length, 'exchange')} of operations that write`;
    throw diagnosis.unplacedError(
      `${oneLine(folder)} has no recorded read${exchanges.length === 0 ? '' : `, but ${found}`}.`,
      exchanges.length === 0
        ? 'Give the folder that `record` of a service names.'
        : 'Name those to send: --writes PlaceOrder.',
    );
  }
  const other = chosen.filter(({ description }) => description.values === 'replaced').length;
  if (other > 0 && !replaced) {
    throw diagnosis.unplacedError(
      `The values of ${counted(other, 'exchange')} were replaced when they were recorded: a ` +
        'backend does not know them.',
      'Record with `values: keep`; or send them all the same with --replaced.',
    );
  }
  return chosen;
}

/** The header fields of all requests: those of `--header`, before them those of the service. */
async function fieldsOf(
  { exchanges }: RecordedExchanges,
  options: ReplayOptions,
): Promise<Headers> {
  const fields = new Headers();
  if (options.config !== null) {
    const service = exchanges[0]?.description.service ?? '';
    for (const [name, value] of await serviceFields(options.config, service)) {
      fields.set(name, value);
    }
  }
  for (const line of options.header) {
    const colon = line.indexOf(':');
    try {
      fields.set(line.slice(0, colon), line.slice(colon + 1).trim());
    } catch {
      throw diagnosis.unplacedError(
        `--header ${oneLine(line.slice(0, Math.max(0, colon)))} is no header field.`,
        "Write it as --header 'Name: value'.",
      );
    }
  }
  return fields;
}

/** The header fields and credentials that a configuration gives the calls of a service. */
async function serviceFields(
  file: string,
  name: string,
): Promise<readonly (readonly [string, string])[]> {
  const { config } = await loadConfig(file, process.env);
  const service = config.services[name];
  if (service === undefined) {
    throw diagnosis.unplacedError(
      `There is no service \`${oneLine(name)}\`, which was recorded.`,
      'Give the configuration that the recording was made with.',
      file,
    );
  }
  const { headers, auth } = service;
  const fields = Object.entries(headers);
  if (auth === undefined) return fields;
  if (auth.basic !== undefined) {
    const { username, password } = auth.basic;
    const value = Buffer.from(`${username}:${password}`).toString('base64');
    return [...fields, ['authorization', `Basic ${value}`]];
  }
  if (auth.bearer !== undefined) {
    return [...fields, ['authorization', `Bearer ${auth.bearer.token}`]];
  }
  throw diagnosis.unplacedError(
    `\`auth\` of service \`${name}\` has neither \`basic\` nor \`bearer\`.`,
    "Give the credentials of the calls as --header 'Authorization: ...'.",
    file,
  );
}

interface ReplayTarget {
  readonly target: URL;
  readonly fields: Headers;
  readonly ignore: readonly string[];
}

const { limitsOfReplies: REPLY_LIMITS } = new ReaderPool(defaultsOf(XML_LIMITS));

async function replayOne(
  exchange: RecordedExchange,
  recording: RecordedExchanges,
  { target, fields, ignore }: ReplayTarget,
): Promise<ReplayedExchange> {
  const { name, description } = exchange;
  const about = { name, operation: description.operation };
  const content = { types: await recording.typesOf(exchange), ignore: new Set(ignore) };
  const limits = { xml: REPLY_LIMITS, mime: defaultsOf(MIME_LIMITS) };
  const startedMillis = Date.now();
  try {
    const recorded = new ReplyReader(description.reply.contentType, content, limits);
    recorded.write(await exchange.reply());
    const response = await fetch(target, {
      method: 'POST',
      redirect: 'manual',
      headers: fieldsWith(fields, description.request),
      body: new Uint8Array(await exchange.request()),
      signal: AbortSignal.timeout(REPLY_MILLIS_MAX),
    });
    const reader = new ReplyReader(response.headers.get('content-type'), content, limits);
    for await (const chunk of response.body ?? []) {
      reader.write(Buffer.from(chunk));
    }
    const millis = Date.now() - startedMillis;
    const compared = compareReplies(recorded.end(), reader.end());
    if (compared.outcome === 'incomparable') {
      return { ...about, millis, outcome: 'failed', paths: [], reason: compared.reason };
    }
    const paths = compared.outcome === 'same' ? [] : compared.paths;
    return { ...about, millis, outcome: compared.outcome, paths, reason: null };
  } catch (caught) {
    const millis = Date.now() - startedMillis;
    return { ...about, millis, outcome: 'failed', paths: [], reason: reasonOf(caught) };
  }
}

function fieldsWith(
  fields: Headers,
  { contentType, soapAction }: RecordedExchange['description']['request'],
): Headers {
  const all = new Headers(fields);
  all.set('content-type', contentType ?? 'text/xml; charset=utf-8');
  if (soapAction !== null) {
    all.set('soapaction', soapAction);
  }
  return all;
}

/** Why a reply could not be compared, without anything of its content. */
function reasonOf(caught: unknown): string {
  if (caught instanceof Error && caught.name === 'TimeoutError') return 'no reply in time';
  const cause = caught instanceof TypeError ? caught.cause : null;
  const code = errorCode(cause);
  if (typeof code === 'string') return code;
  const refusal = asRefusal(caught);
  return `${refusal.code}: the reply is no SOAP message`;
}
