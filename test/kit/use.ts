import type { Buffer } from 'node:buffer';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Test } from 'tap';

import type { GraphqlAnswer } from './answers.js';
import { answerWith, type RecordingBackend, startRecordingBackend } from './backend.js';
import { postSoap } from './envelope.js';
import { startTestGateway, type TestGateway } from './gateway.js';
import { askGraphql, askText } from './graphql-client.js';
import {
  type GraphqlServer,
  type GraphqlServerOptions,
  startGraphqlServer,
} from './graphql-server.js';

/**
 * Whatever these start ends with the test, in reverse order: a gateway before the backend behind
 * it.
 */

/** A test, or another owner that closes what is started for it. */
export type Closing = Pick<Test, 'teardown'>;

/** A backend that records; it answers an empty message unless told otherwise. */
export async function useBackend(t: Closing, answer: RecordingBackend['answer'] = answerWith('')) {
  return ending(t, await startRecordingBackend(answer));
}

/** A gateway from a configuration text. `directory` is where its relative paths start. */
export async function useGateway(
  t: Closing,
  yaml: string,
  directory: string | null = null,
): Promise<TestGateway> {
  return ending(t, await startTestGateway(yaml, directory));
}

/** A server that speaks GraphQL. */
export async function useGraphqlServer(
  t: Closing,
  options: GraphqlServerOptions,
): Promise<GraphqlServer> {
  return ending(t, await startGraphqlServer(options));
}

type Headers = Readonly<Record<string, string>>;

export type UsedService = Awaited<ReturnType<typeof useService>>;

/**
 * A backend and a gateway before it, with the usual calls. `yaml` is given the address of the
 * backend.
 */
export async function useService(
  t: Closing,
  answer: RecordingBackend['answer'],
  yaml: (url: string) => string,
  directory: string | null = null,
) {
  const backend = await useBackend(t, answer);
  const gateway = await useGateway(t, yaml(backend.url), directory);
  return {
    backend,
    gateway,
    /** Asks in GraphQL: the answer without what it has cost. */
    ask: (
      query: string,
      variables: Readonly<Record<string, unknown>> = {},
      headers: Headers = {},
    ) => askGraphql<GraphqlAnswer>(gateway.url, query, variables, headers),
    /** Asks in GraphQL: the text of the answer. */
    askText: (query: string, headers: Headers = {}) => askText(gateway.url, query, headers),
    /** Sends a message of SOAP to the first service. */
    send: (message: string | Buffer, headers: Headers = {}) =>
      postSoap(`${gateway.url}/soap/${gateway.compiled().services[0]?.name}`, message, headers),
    /** The last message that the backend got. */
    sent: () => String(backend.complete.at(-1)?.body ?? ''),
  };
}

/** A folder of its own with these files; the names of files may have folders. */
export async function useFolder(
  t: Closing,
  files: Readonly<Record<string, string>> = {},
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'soapstone-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

function ending<T extends { close(): unknown }>(t: Closing, started: T): T {
  t.teardown(() => started.close());
  return started;
}
