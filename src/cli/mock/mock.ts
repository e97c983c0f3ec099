import { Buffer } from 'node:buffer';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import type { exampleValues } from '../../codec/index.js';
import { mappedTypes } from '../../compile/soap/mapping.js';
import { parseListenAddress } from '../../config/keys/address.js';
import { loadConfig } from '../../config/load.js';
import { asRefusal, collections, diagnosis, httpFields, MIB } from '../../core/index.js';
import { wholeBody } from '../../gateway/whole-body.js';
import type { ExitCode, Terminal } from '../../process/terminal.js';
import {
  DIALECTS,
  type Dialect,
  dialectOfName,
  mimeTypes,
  printableAction,
  readSoapAction,
} from '../../soap/index.js';
import {
  allOperations,
  childrenOfBody,
  type Operation,
  typeKey,
  type WsdlModel,
} from '../../wsdl/index.js';
import { readShowing } from '../import/import.js';
import { importSourceOf, type SourceOptions } from '../import/import-source.js';
import { oneLine } from '../table.js';
import { mappedTexts } from './mapped-texts.js';
import { faultOf, type MockAnswer, replyTo } from './mock-answers.js';
import { type MockRecording, readMockRecording } from './mock-recording.js';
import { readMockRequest } from './mock-request.js';

export interface MockOptions {
  /** The address to listen at. */
  readonly listen: string;
  /**
   * A recording, or a folder of replies, `GetOrder.xml`; null for examples by the schema alone.
   */
  readonly answers: string | null;
  /** The configuration whose conversions read the values; null: by the schema alone. */
  readonly config: string | null;
  readonly source: SourceOptions;
}

/** The field of a request that asks for a Fault. */
const FAULT_FIELD = 'x-mock-fault';

/** Bytes of a request. */
const REQUEST_BYTES_MAX = 10 * MIB;

/** Answers as the backend of a WSDL would, until a signal ends it. Throws `ConfigurationError`. */
export async function mock(
  location: string,
  options: MockOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { listen, answers, config } = options;
  const address = parseListenAddress(listen);
  if (address === null || !('port' in address)) {
    throw diagnosis.unplacedError(
      `${oneLine(listen)} is no address to listen at.`,
      'Give a host and a port, such as 127.0.0.1:8081.',
    );
  }
  if (answers !== null && !(await isFolder(answers))) {
    throw diagnosis.unplacedError(
      `${oneLine(answers)} is no folder.`,
      'Give a recording, or a folder of replies, GetOrder.xml and the like.',
    );
  }
  const model = await readShowing(
    location,
    await importSourceOf(location, options.source, process.env),
    terminal,
  );
  const texts = config === null ? null : await textsOfConfig(config, location);
  const recording = answers === null ? null : await readMockRecording(answers);
  const server = makeMockServer(model, { answers, texts, recording });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  });
  terminal.out(introduction(model, server));
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, resolve);
    }
  });
  server.close();
  server.closeAllConnections();
  return 0;
}

/** The texts that the services of a WSDL know. */
async function textsOfConfig(file: string, location: string): Promise<exampleValues.WantedTextsOf> {
  const { config } = await loadConfig(file, process.env);
  const mappings = Object.entries(config.services).flatMap(([name, service]) =>
    service.wsdl !== undefined && isSameDocument(service.wsdl, location)
      ? [mappedTypes({ name, config: service })]
      : [],
  );
  if (mappings.length === 0) {
    const what = `No service has the WSDL ${oneLine(location)}.`;
    throw diagnosis.unplacedError(
      what,
      'Give the WSDL that a service of it names as `wsdl`.',
      file,
    );
  }
  return mappedTexts(mappings);
}

const isSameDocument = (one: string, other: string): boolean =>
  one === other || resolve(one) === resolve(other);

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

function introduction(model: WsdlModel, server: Server): string {
  const bound = server.address();
  const [host, port] =
    typeof bound === 'object' && bound !== null ? [bound.address, bound.port] : ['', 0];
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/`;
  const count = allOperations(model).length;
  return (
    `The mock answers ${count} operations at ${url}, at any path.\n` +
    `Put the gateway in front of it: soapstone try WSDL --url ${url}`
  );
}

/** What replies are made of. */
type MockReplies = Pick<MockOptions, 'answers'> & {
  /** Texts that values must have; null: by the schema alone. */
  readonly texts: exampleValues.WantedTextsOf | null;
  /** Recorded exchanges; absent or null: `answers` has none. */
  readonly recording?: MockRecording | null;
};

/** A server that answers the operations of all ports, at any path. */
export function makeMockServer(model: WsdlModel, replies: MockReplies): Server {
  const table = new MockOperations(model);
  return createServer(
    { ServerResponse: httpFields.responseClass(() => 'usual') },
    (request, response) => {
      answer(table, replies, request, response).catch(() => response.destroy());
    },
  );
}

/** Finds operations by the child of Body, and by the action where that is not enough. */
class MockOperations {
  readonly dialect: Dialect;
  readonly #byBody = new Map<string, Operation[]>();

  constructor(model: WsdlModel) {
    const [port] = model.services.flatMap(({ ports }) => ports);
    this.dialect = (port === undefined ? null : dialectOfName(port.dialect)) ?? DIALECTS['1.1'];
    for (const operation of allOperations(model)) {
      if (operation.status === 'disabled') continue;
      const [body] = childrenOfBody(operation.input);
      collections.addToGroup(this.#byBody, body === undefined ? '' : typeKey(body.name), operation);
    }
  }

  find(key: string, action: string | null): Operation | null {
    const found = this.#byBody.get(key) ?? [];
    const named = found.filter(({ soapAction }) => printableAction(soapAction) === action);
    const those = named.length === 0 ? found : named;
    return those.find(({ output }) => output !== null) ?? those[0] ?? null;
  }
}

async function answer(
  table: MockOperations,
  replies: MockReplies,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST') {
    response.writeHead(405, { allow: 'POST' }).end();
    return;
  }
  const message = await wholeBody(request, REQUEST_BYTES_MAX);
  if (message === null) {
    response.writeHead(413, { connection: 'close' }).end();
    return;
  }
  const { dialect, answer: made } = await answerTo(table, replies, message, request);
  const type = made.body === '' ? {} : { 'content-type': `${dialect.mediaType}; charset=utf-8` };
  response
    .writeHead(made.status, { ...type, 'content-length': Buffer.byteLength(made.body) })
    .end(made.body);
}

async function answerTo(
  table: MockOperations,
  { answers, texts, recording = null }: MockReplies,
  message: Buffer,
  { headers }: IncomingMessage,
): Promise<{ readonly dialect: Dialect; readonly answer: MockAnswer }> {
  const type = headers['content-type'] ?? '';
  let read: ReturnType<typeof readMockRequest> = null;
  let action: string | null = null;
  try {
    read = readMockRequest(message, type);
    action =
      readSoapAction(String(headers['soapaction'] ?? '')) ??
      mimeTypes.readMediaType(type)?.action ??
      null;
  } catch (caught) {
    return { dialect: table.dialect, answer: faultOf(table.dialect, asRefusal(caught).message) };
  }
  if (read === null) {
    return {
      dialect: table.dialect,
      answer: faultOf(table.dialect, 'The message is no SOAP envelope.'),
    };
  }
  const { dialect, body } = read;
  const operation = table.find(body === null ? '' : typeKey(body), action);
  const made =
    operation === null
      ? faultOf(dialect, 'The WSDL has no operation with this child of Body.')
      : await replyTo(operation, dialect, {
          recorded: answers,
          exchange: (await recording?.find(operation.name, message)) ?? null,
          texts,
          fault: faultAsked(headers[FAULT_FIELD]),
        });
  return { dialect, answer: made };
}

/** The name of a Fault is short, and printed as text. */
const faultAsked = (field: string | readonly string[] | undefined): string | null =>
  typeof field === 'string' && field !== '' ? field.slice(0, 256) : null;
