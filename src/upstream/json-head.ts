import { Refusal } from '../base/refusal.js';
import type { ReplyHead } from './reply.js';

/** Media types of answers to GraphQL requests (GraphQL over HTTP, section 4.2). */
const JSON_TYPES: ReadonlySet<string> = new Set(['application/json', 'application/graphql-response+json']);

/** Throws a refusal of the upstream for an answer that no JSON can follow. Its status alone says nothing: errors are JSON. */
export function judgeJsonHead(head: ReplyHead): void {
  const { status } = head;
  if (status >= 300 && status <= 399) throw new Refusal('UPSTREAM_REDIRECT', `status ${status}`);
  if (status === 401 || status === 407) throw new Refusal('UPSTREAM_AUTH', `status ${status}`);
  if (status === 429 || status === 503) {
    const after = head.header('retry-after');
    const retryAfter = after !== null && SECONDS.test(after) ? after : null;
    throw new Refusal('UPSTREAM_OVERLOADED', `status ${status}`, { retryAfter });
  }
  const coding = head.header('content-encoding');
  if (coding !== null && coding.trim().toLowerCase() !== 'identity') {
    throw new Refusal('UPSTREAM_INVALID_RESPONSE', 'content coding');
  }
  const [type = '', ...parameters] = (head.header('content-type') ?? '').toLowerCase().split(';');
  const isText = parameters.every((parameter) => {
    const [name, value] = parameter.split('=');
    return name?.trim() !== 'charset' || /^"?utf-?8"?$/.test(value?.trim() ?? '');
  });
  if (!JSON_TYPES.has(type.trim()) || !isText) {
    throw new Refusal('UPSTREAM_INVALID_RESPONSE', `no JSON, status ${status}`);
  }
}

const SECONDS = /^\d{1,10}$/;
