import type { ServerResponse } from 'node:http';
import type { Test } from 'tap';
import type { RecordedMessage } from './backend.js';
import { postSoap } from './envelope.js';
import type { TestGateway } from './gateway.js';
import { useBackend, useGateway } from './use.js';

const REPLY =
  '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>' +
  '<PayResponse xmlns="urn:desk"/></s:Body></s:Envelope>';

/** A service that verifies Security blocks, and its backend. */
export interface VerifyingDesk {
  readonly received: readonly RecordedMessage[];
  readonly gateway: TestGateway;
  /** Sends a message: the code of the refusal, or null where the backend got it. */
  send(message: string | Buffer, type?: string): Promise<string | null>;
}

const indented = (text: string, depth: number): string =>
  text
    .trim()
    .split('\n')
    .map((line) => ' '.repeat(depth) + line)
    .join('\n');

/**
 * `verify`: the content of `security.verify`; `further`: sections of the configuration beside
 * `services`.
 */
export async function useVerifyingDesk(
  t: Test,
  verify: string,
  further = '',
): Promise<VerifyingDesk> {
  const backend = await useBackend(t, (_message: RecordedMessage, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/xml' }).end(REPLY);
  });
  const mapping = `services:
  desk:
    url: ${backend.url}/desk
    namespace: urn:desk
    versions: ["1.1", "1.2"]
    types: |
      type Query { pay(sum: String): String }
    operations:
      Pay: { field: Query.pay, read: {} }
    security:
      verify:
${indented(verify, 8)}
${further}`;
  const gateway = await useGateway(t, mapping);
  return {
    received: backend.complete,
    gateway,
    async send(message, type) {
      const before = backend.complete.length;
      const answer = await postSoap(
        `${gateway.url}/soap/desk`,
        message,
        type === undefined ? {} : { 'content-type': type },
      );
      const text = await answer.text();
      const code = /<code>([^<]*)<\/code>/.exec(text)?.[1] ?? null;
      const isThrough = backend.complete.length > before;
      if (isThrough !== (code === null)) t.fail(`${answer.status} ${text}`);
      return code;
    },
  };
}
