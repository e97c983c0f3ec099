import type { Refusal } from '../core/index.js';
import type { Exchange } from '../gateway/exchange.js';
import type { RecentLists, RecentRequest } from './recent-lists.js';

/** Whether a request took too long. Subscriptions last as long as their clients like. */
export const isSlow = ({ operation }: Exchange, millis: number, slowMillis: number): boolean =>
  millis >= slowMillis && operation !== 'subscription';

/** Requests of each list that are remembered; of several processes, of each. */
export const RECENT_MAX = 200;
/** The maximum length of a text about the rule and the position. */
const DETAIL_UNITS_MAX = 256;
/** The maximum length of the name that a caller gives an operation. */
const NAME_UNITS_MAX = 128;

/** The latest requests that operators ask about, without their values. */
export class RecentRequests {
  readonly #slowMillis: () => number;
  readonly #refused: RecentRequest[] = [];
  readonly #faults: RecentRequest[] = [];
  readonly #slow: RecentRequest[] = [];

  constructor(slowMillis: () => number) {
    this.#slowMillis = slowMillis;
  }

  add(exchange: Exchange, millis: number): void {
    const { refusal } = exchange;
    if (refusal !== null) {
      remember(refusal.code === 'SOAP_FAULT' ? this.#faults : this.#refused, exchange, millis);
    }
    if (isSlow(exchange, millis, this.#slowMillis())) {
      remember(this.#slow, exchange, millis);
    }
  }

  get lists(): RecentLists {
    return {
      refused: this.#refused.toReversed(),
      faults: this.#faults.toReversed(),
      slow: this.#slow.toReversed(),
    };
  }
}

/** The lists of several processes as those of one. */
export function mergeRecent(all: readonly RecentLists[]): RecentLists {
  const merge = (lists: readonly (readonly RecentRequest[])[]): readonly RecentRequest[] =>
    lists
      .flat()
      .sort((one, other) => other.endedMillis - one.endedMillis)
      .slice(0, RECENT_MAX);
  return {
    refused: merge(all.map(({ refused }) => refused)),
    faults: merge(all.map(({ faults }) => faults)),
    slow: merge(all.map(({ slow }) => slow)),
  };
}

/** The rule that was broken, what was found in a reply, and the names that would let it pass. */
function detailOf({ refusal, tolerable }: Exchange): string | null {
  const names = new Set(tolerable?.map(({ deviation }) => deviation) ?? []);
  const hint = names.size === 0 ? '' : `\`tolerate\` has no ${[...names].join(', ')}`;
  const rule = refusal?.detail?.slice(0, DETAIL_UNITS_MAX) ?? '';
  const detail = [rule, ...replyTexts(refusal), hint].filter((text) => text !== '').join('; ');
  return detail === '' ? null : detail;
}

/** What was found in a refused reply and what was expected, as in its log line. */
function replyTexts(refusal: Refusal | null): readonly string[] {
  const reply = refusal?.reply ?? null;
  if (refusal === null || reply === null) return [];
  const { found, facts } = refusal;
  const { status, mediaType, coding, version, element, fault } = reply;
  const seen = [
    `status ${status}`,
    mediaType ?? 'no media type',
    coding,
    version === null ? null : `SOAP ${version}`,
    element,
    fault === null ? null : `Fault ${fault.code}: ${fault.string}`,
    fault?.isUnverified === true ? 'not verified' : null,
  ];
  const texts = [
    found === null ? '' : `found ${found}`,
    facts.expected === undefined ? '' : `expected ${facts.expected.join(', ')}`,
    `the reply has ${seen.filter((text) => text !== null && text !== '').join(', ')}`,
  ];
  return texts.map((text) => text.slice(0, DETAIL_UNITS_MAX));
}

function remember(list: RecentRequest[], exchange: Exchange, millis: number): void {
  const { id, route, operation, caller, client, graphql, status, refusal } = exchange;
  const { failedCall } = graphql;
  if (list.length === RECENT_MAX) {
    list.shift();
  }
  list.push({
    id,
    endedMillis: Date.now(),
    route,
    operation,
    operationName: graphql.operationName.slice(0, NAME_UNITS_MAX),
    caller: caller.className === '' ? '' : caller.label,
    address: client,
    clientClass: caller.className,
    failedCall: failedCall === null ? '' : `${failedCall.service}.${failedCall.operation}`,
    status,
    millis,
    code: refusal?.code ?? null,
    detail: detailOf(exchange),
    limit: refusal?.limit ?? null,
  });
}
