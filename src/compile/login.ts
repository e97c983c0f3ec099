import { Buffer } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { ConfigurationError } from '../base/diagnostic.js';
import { MIB } from '../base/limit.js';
import { didYouMean } from '../base/nearest.js';
import { asRefusal, asUpstream, Refusal } from '../base/refusal.js';
import type { RequestPlan } from '../codec/plan/request-plan.js';
import { addressingBlocks, newMessageId } from '../codec/write/addressing-blocks.js';
import { encodeRequest, placeInRequest } from '../codec/write/encode.js';
import { InputError } from '../codec/write/input-error.js';
import type { LoadedConfig } from '../config/load.js';
import type { ServiceConfig } from '../config/schema.js';
import { NO_BLOCKS } from '../graphql/input/block-mapping.js';
import { inputMappings } from '../graphql/input/input-mapping.js';
import { buildSchema } from '../graphql/schema.js';
import { printBlocks } from '../soap/header-place.js';
import { printMediaType, readMediaType } from '../soap/media-type.js';
import { printableAction } from '../soap/soap-action.js';
import { TextAtPath, type TextPath } from '../soap/text-at-path.js';
import { LoginSession } from '../upstream/credentials/login-session.js';
import type { ReplyHead, UpstreamRequest } from '../upstream/reply.js';
import type { Operation } from '../wsdl/model.js';
import { diagnosticAt } from './diagnostic-at.js';
import { blocksOf, findingDiagnostics } from './mapping.js';
import type { SoapService } from './service.js';
import { checkToken, type TokenPlace, tokenBlock, withTokenField } from './token-place.js';

/** Bytes of a reply with a token. */
const REPLY_BYTES_MAX = MIB;

const ANY_TEXT: TextPath = { part: 'Body', steps: [] };

type LoginConfig = NonNullable<NonNullable<ServiceConfig['auth']>['login']>;

/** A call for a session: of which operation, with which request. */
interface SessionMessage {
  readonly service: SoapService;
  readonly operation: Operation;
  readonly plan: RequestPlan;
  readonly limits: LoadedConfig['config']['limits']['codec'];
}

/** The services with the sessions of `auth.login`, which may call each other. Throws `ConfigurationError`. */
export const withLogins = (loaded: LoadedConfig, services: readonly SoapService[]): readonly SoapService[] =>
  services.map((service) => {
    const login = service.config.auth?.login;
    if (login === undefined || service.tokenPlace === null) return service;
    const session = compileSession(loaded, services, service, login, service.tokenPlace);
    return { ...service, session: { login: session, place: service.tokenPlace, renewOn: new Set(login.renewOn) } };
  });

function compileSession(
  loaded: LoadedConfig,
  services: readonly SoapService[],
  service: SoapService,
  { operation, arguments: values, token, logout, maxAgeMillis }: LoginConfig,
  place: TokenPlace,
): LoginSession {
  const login = messageOf(loaded, services, service, 'operation', operation, values);
  const end = logout === undefined ? null : messageOf(loaded, services, service, 'logout', logout, {});
  const path = token === undefined ? null : textPath(token);
  return new LoginSession({
    maxAgeMillis: maxAgeMillis ?? null,
    async logIn() {
      const { head, body } = await send(login, requestOf(login, null));
      const reader = new TextAtPath(path ?? ANY_TEXT);
      read(login.service, head, body, reader);
      if (reader.isFault || head.status > 299) throw new Refusal('UPSTREAM_AUTH', 'the login was refused');
      const found = path === null ? cookiesOf(head) : reader.found;
      if (found === null) throw new Refusal('UPSTREAM_AUTH', 'no token in the reply to the login');
      return checkToken(place, found);
    },
    logOut: end === null ? null : async (last) => void (await send(end, requestOf(end, { place, token: last }))),
  });
}

function messageOf(
  loaded: LoadedConfig,
  services: readonly SoapService[],
  owner: SoapService,
  key: 'operation' | 'logout',
  named: string,
  values: LoginConfig['arguments'],
): SessionMessage {
  const at = ['services', owner.name, 'auth', 'login', key];
  const fail = (what: string, remedy: string | null): never => {
    throw new ConfigurationError([diagnosticAt(loaded, at, `Service \`${owner.name}\`: ${what}`, remedy)]);
  };
  const own = owner.operations.find(({ name }) => name === named);
  const dot = named.indexOf('.');
  const other = services.find(({ name }) => name === named.slice(0, dot));
  const service = own === undefined && other !== undefined ? other : owner;
  const name = service === owner ? named : named.slice(dot + 1);
  const operation = own ?? service.operations.find((each) => each.name === name);
  if (operation === undefined || operation.status === 'disabled') {
    const known = service.operations.map((each) => each.name);
    return fail(`there is no operation \`${named}\` to call.`, didYouMean(name, known));
  }
  const plan = planOf(loaded, owner, service, operation, values);
  if (plan === null) return fail(`the operation \`${named}\` cannot be called.`, null);
  const message = { service, operation, plan, limits: loaded.config.limits.codec };
  try {
    requestOf(message, null);
  } catch (caught) {
    if (!(caught instanceof InputError)) throw caught;
    return fail(
      `\`${named}\` cannot be called (${caught.detail ?? caught.rule}).`,
      'Give it what it needs in `arguments`.',
    );
  }
  return message;
}

/** The plan of a request whose arguments are constants; null where the operation has none. */
function planOf(
  loaded: LoadedConfig,
  { name }: SoapService,
  service: SoapService,
  operation: Operation,
  values: LoginConfig['arguments'],
): RequestPlan | null {
  const entries = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, { value }]));
  const request = { arguments: inputMappings(entries, ['auth', 'login', 'arguments']), headers: NO_BLOCKS };
  const field = { parent: 'Query', name: 'login' } as const;
  const mapping = new Map([[operation.name, { field, hidden: false, request }]]);
  const blocks = blocksOf(service);
  const { fields, findings } = buildSchema([{ name, operations: [operation], mapping, naming: 'exact', blocks }]);
  if (findings.length > 0) throw new ConfigurationError(findingDiagnostics(loaded, findings));
  return fields.get('Query.login')?.requestPlan ?? null;
}

function textPath(written: string): TextPath {
  const [part, ...steps] = written.split('.');
  return { part: part === 'header' ? 'Header' : 'Body', steps };
}

function requestOf(
  { service, operation, plan, limits }: SessionMessage,
  session: { readonly place: TokenPlace; readonly token: string } | null,
): UpstreamRequest {
  const [dialect] = service.dialects;
  const addressing = service.addressing?.get(operation) ?? null;
  const blocks = addressing === null ? [] : addressingBlocks(addressing, dialect, newMessageId());
  const body = encodeRequest(plan, dialect, { arguments: {}, headers: {}, blocks }, limits);
  const action = printableAction(addressing?.action ?? operation.soapAction);
  const headers = ['content-type', printMediaType(dialect, action), 'accept', dialect.mediaType];
  if (dialect.actionHeader) headers.push('soapaction', `"${action ?? ''}"`);
  const request: UpstreamRequest = { method: 'POST', query: '', headers, body };
  const token = session === null ? null : tokenBlock(session.place, session.token);
  const writers = [service.security, token].filter((writer) => writer !== null);
  const place = placeInRequest(body, dialect);
  const insertion = { offsetBytes: place.offsetBytes, make: () => printBlocks(place, writers) };
  const made = writers.length === 0 ? request : { ...request, insertion };
  return session === null ? made : withTokenField(made, session.place, session.token);
}

interface SessionReply {
  readonly head: ReplyHead;
  readonly body: Buffer;
}

/** Sends a request and resolves to the whole reply. Rejects with a `Refusal`. */
function send({ service }: SessionMessage, request: UpstreamRequest): Promise<SessionReply> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let head: ReplyHead | null = null;
    service.upstream.call(request, {
      head(received) {
        head = received;
      },
      data(chunk) {
        bytes += chunk.length;
        if (bytes > REPLY_BYTES_MAX) throw new Refusal('UPSTREAM_RESPONSE_LIMIT', 'reply to a login');
        chunks.push(chunk);
      },
      end: () => head !== null && resolve({ head, body: Buffer.concat(chunks) }),
      failed: reject,
    });
  });
}

/** Reads the reply, where it is an envelope. Throws a `Refusal` of the upstream. */
function read({ readers }: SoapService, head: ReplyHead, body: Buffer, handler: TextAtPath): void {
  if (head.status === 401 || head.status === 403) throw new Refusal('UPSTREAM_AUTH', `status ${head.status}`);
  const type = readMediaType(head.header('content-type') ?? undefined);
  if (body.length === 0 || type === null) return;
  const reader = readers.take(handler, type.charset);
  try {
    reader.write(
      head.header('content-encoding') === 'gzip' ? gunzipSync(body, { maxOutputLength: REPLY_BYTES_MAX }) : body,
    );
    reader.end();
  } catch (caught) {
    throw asUpstream(asRefusal(caught));
  } finally {
    readers.give(reader);
  }
}

/** The cookies that a reply sets, as a request has them; null for none. */
function cookiesOf(head: ReplyHead): string | null {
  const pairs = new Map<string, string>();
  for (const cookie of head.headers('set-cookie')) {
    const [pair = ''] = cookie.split(';', 1);
    const name = pair.slice(0, Math.max(0, pair.indexOf('='))).trim();
    if (name !== '') pairs.set(name, pair.trim());
  }
  return pairs.size === 0 ? null : [...pairs.values()].join('; ');
}
