import { Refusal } from '../core/index.js';
import type { ReplyHead } from './reply.js';
import { checkAuthStatus } from './upstream-refusals.js';

/** Media types of answers to GraphQL requests (GraphQL over HTTP, section 4.2). */
const JSON_TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'application/graphql-response+json',
]);
const EVENT_TYPES: ReadonlySet<string> = new Set(['text/event-stream']);

/**
 * Throws a refusal of the upstream for an answer that no JSON can follow. Errors are JSON, whatever
 * the status.
 */
export const checkJsonHead = (head: ReplyHead): void => checkHead(head, JSON_TYPES, 'JSON');

/** Throws a refusal of the upstream for an answer that no events can follow. */
export function checkEventsHead(head: ReplyHead): void {
  checkHead(head, EVENT_TYPES, 'events');
  if (head.status !== 200) {
    throw new Refusal('UPSTREAM_INVALID_RESPONSE', `events with status ${head.status}`);
  }
}

/** Throws a refusal of the upstream for a status that decides alone. */
export function checkStatus(status: number, after: string | null): void {
  if (status >= 300 && status <= 399) throw new Refusal('UPSTREAM_REDIRECT', `status ${status}`);
  checkAuthStatus(status);
  if (status === 429 || status === 503) {
    const retryAfter = secondsOf(after);
    throw new Refusal('UPSTREAM_OVERLOADED', `status ${status}`, { retryAfter });
  }
}

function checkHead(head: ReplyHead, types: ReadonlySet<string>, what: string): void {
  const { status } = head;
  checkStatus(status, head.header('retry-after'));
  const coding = head.header('content-encoding');
  if (coding !== null && !NO_CODINGS.has(coding.trim().toLowerCase())) {
    throw new Refusal('UPSTREAM_INVALID_RESPONSE', 'content coding');
  }
  const [type = '', ...parameters] = (head.header('content-type') ?? '').toLowerCase().split(';');
  const isText = parameters.every((parameter) => {
    const [name, value] = parameter.split('=');
    return name?.trim() !== 'charset' || /^"?utf-?8"?$/.test(value?.trim() ?? '');
  });
  if (!types.has(type.trim()) || !isText) {
    throw new Refusal('UPSTREAM_INVALID_RESPONSE', `no ${what}, status ${status}`);
  }
}

/** The seconds in its `Retry-After`; null for none. */
export const secondsIn = (head: ReplyHead): string | null => secondsOf(head.header('retry-after'));

const secondsOf = (field: string | null): string | null =>
  field !== null && SECONDS.test(field) ? field : null;

/** `none` is no coding: event servers write it so that proxies do not compress. */
const NO_CODINGS: ReadonlySet<string> = new Set(['', 'identity', 'none']);

const SECONDS = /^\d{1,10}$/;
