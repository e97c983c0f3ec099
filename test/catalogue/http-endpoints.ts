import type { Test } from 'tap';

import { answerWith, type RecordingBackend } from '../kit/backend.js';
import type { TestGateway } from '../kit/gateway.js';
import { post } from '../kit/raw-client.js';
import { useBackend, useGateway } from '../kit/use.js';
import { fill } from '../perimeter/case-file.js';
import { contentTypeOf, type Perimeter, replyOf } from './messages.js';

export const SOAP = '/soap/s11';
export const PLAIN = '/files/a';
export const GRAPHQL = '/graphql';

export const ENVELOPE = fill(
  '<E:Envelope xmlns:E="{env}"><E:Body><m:Ping xmlns:m="urn:m"/></E:Body></E:Envelope>',
  '1.1',
);

export const ENDPOINTS = [SOAP, PLAIN, GRAPHQL] as const;

/** A request far longer than the hold window. */
export function longRequest(
  bytes = 300_000,
  path: string = SOAP,
): { readonly head: Buffer; readonly body: Buffer } {
  const body = Buffer.from(
    ENVELOPE.replace(
      '<m:Ping xmlns:m="urn:m"/>',
      `<m:Ping xmlns:m="urn:m">${'x'.repeat(bytes)}</m:Ping>`,
    ),
  );
  const whole = post(path, 'text/xml', body);
  return { head: whole.subarray(0, whole.length - body.length), body };
}

/** A whole request that passes at the endpoints of SOAP and of the plain route. */
export const goodRequest = (
  path: string = SOAP,
  fields: Readonly<Record<string, string | null>> = {},
): Buffer => post(path, 'text/xml', ENVELOPE, fields);

/**
 * A gateway with a endpoint of each kind: SOAP and a plain route before one backend, and GraphQL.
 */
export async function startEndpoints(
  t: Test,
  limits = '',
  answer: RecordingBackend['answer'] = answerWith(replyOf('1.1'), contentTypeOf('1.1')),
): Promise<Perimeter> {
  const backend = await useBackend(t, answer);
  const gateway = await startGatewayBefore(t, backend.url, limits);
  return { backend, gateway };
}

/** The same before a backend of one's own. `limits` are lines below `limits:`, indented by two. */
export async function startGatewayBefore(t: Test, url: string, limits = ''): Promise<TestGateway> {
  return useGateway(
    t,
    `services:\n  s11:\n    url: ${url}/base\nroutes:\n  - path: /files\n    url: ${url}\n` +
      `${limits === '' ? '' : `limits:\n${limits}`}`,
  );
}
