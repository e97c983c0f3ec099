import { STATUS_CODES } from 'node:http';
import type { GraphQLError } from 'graphql';
import type { Refusal } from '../../base/refusal.js';

/** A body, and what stands before it: as graphql-http takes it. */
type StatusAnswer = readonly [
  body: string | null,
  init: { readonly status: number; readonly statusText: string; readonly headers: Readonly<Record<string, string>> },
];

/** An answer that is its status alone. */
export const empty = (status: number, code: Refusal['code']): StatusAnswer => [
  null,
  {
    status,
    statusText: STATUS_CODES[status] ?? '',
    headers: code === 'HTTP_METHOD' ? { allow: 'GET, POST' } : {},
  },
];

/** Errors, told with a status of their own. */
export const withStatus = (
  status: number,
  errors: readonly GraphQLError[],
  headers: Readonly<Record<string, string>>,
  extensions: Readonly<Record<string, unknown>> = {},
): StatusAnswer => [
  JSON.stringify(Object.keys(extensions).length === 0 ? { errors } : { errors, extensions }),
  {
    status,
    statusText: STATUS_CODES[status] ?? '',
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  },
];
