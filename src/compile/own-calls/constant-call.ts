import { Buffer } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import {
  encodeRequest,
  InputError,
  requestEncoding,
  type requestPlans,
} from '../../codec/index.js';
import { FindingsError, invalid } from '../../config/keys/finding.js';
import type { Config } from '../../config/schema.js';
import { MIB, Refusal, spelling, tolerated } from '../../core/index.js';
import { isGzip } from '../../gateway/compress.js';
import { graphqlSchema, schemaMapping } from '../../graphql/index.js';
import { headerBlocks, mimeTypes, type TextPath } from '../../soap/index.js';
import type { ReplyHead, Upstream, UpstreamRequest } from '../../upstream/index.js';
import type { Operation } from '../../wsdl/index.js';
import { encryption } from '../../wss/index.js';
import { ReplyRepair, type XmlHandler } from '../../xml/index.js';
import { blocksOf, mappingFindings } from '../soap/mapping.js';
import { knownNamespace } from '../soap/operations/known-prefixes.js';
import { asUnverified } from '../soap/security/reply-verification.js';
import { callEncryption, sealOf } from '../soap/security/sealed-message.js';
import type { ConfiguredService } from '../soap/service.js';
import { type TokenPlace, tokenBlock, withTokenField } from '../soap/token-place.js';

/** Bytes of a reply to a call of an operation. */
const REPLY_BYTES_MAX = MIB;

/** The constant values of a request, by XML name or path. */
type ConstantValues = Readonly<Record<string, string>>;

export type ConstantCallLimits = Config['limits']['codec'];

/** The operations that the gateway may call for itself, and the limits of its messages. */
export interface Callables {
  readonly services: readonly ConfiguredService[];
  readonly limits: ConstantCallLimits;
}

/** A call that the gateway makes for itself: of which operation, with which request. */
export interface ConstantCall {
  readonly service: ConfiguredService;
  readonly operation: Operation;
  readonly plan: requestPlans.RequestPlan;
  readonly limits: ConstantCallLimits;
}

/**
 * Compiles a call of `Operation` or `service.Operation` for the service of `owner`; `at` is the
 * path of that name within its section, beside `arguments`. Throws `FindingsError`.
 */
export function compileConstantCall(
  { services, limits }: Callables,
  owner: string,
  at: readonly [string, ...string[]],
  named: string,
  values: ConstantValues,
): ConstantCall {
  const fail = (what: string, remedy: string | null): never => {
    throw invalid(at, `Service \`${owner}\`: ${what}`, remedy);
  };
  const itself = services.find(({ name }) => name === owner);
  const own = itself?.operations.find(({ name }) => name === named);
  const dot = named.indexOf('.');
  const other = services.find(({ name }) => name === named.slice(0, dot));
  const service = own === undefined && other !== undefined ? other : itself;
  const name = service === itself ? named : named.slice(dot + 1);
  const operation = own ?? service?.operations.find((each) => each.name === name);
  if (service === undefined || operation === undefined || operation.status === 'disabled') {
    const known =
      service?.operations.map((each) => each.name) ?? services.map((each) => `${each.name}.`);
    return fail(`there is no operation \`${named}\` to call.`, spelling.didYouMean(name, known));
  }
  const plan = planOf(owner, [...at.slice(0, -1), 'arguments'], { service, operation }, values);
  if (plan === null) return fail(`the operation \`${named}\` cannot be called.`, null);
  const message = { service, operation, plan, limits };
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
  owner: string,
  at: readonly string[],
  { service, operation }: Pick<ConstantCall, 'service' | 'operation'>,
  values: ConstantValues,
): requestPlans.RequestPlan | null {
  const entries = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, { value }]),
  );
  const request = {
    arguments: schemaMapping.inputMappings(entries, at),
    headers: schemaMapping.NO_BLOCKS,
  };
  const field = { parent: 'Query', name: 'call' } as const;
  const mapping = new Map([[operation.name, { field, hidden: false, request }]]);
  const blocks = blocksOf(service);
  const { fields, findings } = graphqlSchema.buildSchema([
    { name: owner, operations: [operation], mapping, naming: 'exact', blocks },
  ]);
  if (findings.length > 0) throw new FindingsError(mappingFindings(findings, () => []));
  return fields.get('Query.call')?.requestPlan ?? null;
}

/** The place that `reply.a.b` or `header.a.b` names. */
export function textPath(written: string): TextPath {
  const [part, ...steps] = written.split('.');
  return { part: part === 'header' ? 'Header' : 'Body', steps };
}

/** The request, with the token of a session if there is one. Throws `InputError`. */
export function requestOf(
  { service, operation, plan, limits }: ConstantCall,
  session: { readonly place: TokenPlace; readonly token: string } | null,
): UpstreamRequest {
  const [dialect] = service.dialects;
  const addressing = service.addressing?.get(operation) ?? null;
  const blocks =
    addressing === null
      ? []
      : requestEncoding.addressingBlocks(addressing, dialect, requestEncoding.newMessageId());
  const body = encodeRequest(plan, dialect, { arguments: {}, headers: {}, blocks }, limits);
  const headers = [...service.callHead(operation).fields];
  const request: UpstreamRequest = { method: 'POST', query: '', headers, body };
  const token = session === null ? null : tokenBlock(session.place, session.token);
  // A call of the gateway itself is about no caller.
  const security = service.security?.claim === null ? service.security.writer(null) : null;
  const writers = [security, token].filter((writer) => writer !== null);
  const place = requestEncoding.placeInRequest(body, dialect);
  const { signing, readers } = service;
  const encrypting = callEncryption(service.encryption, readers);
  const insertion = {
    offsetBytes: place.offsetBytes,
    make: () => headerBlocks.printBlocks(place, writers),
    ...sealOf({ signing, encryption: encrypting, packageType: null }, () => {}),
  };
  const made = writers.length === 0 && encrypting === null ? request : { ...request, insertion };
  return session === null ? made : withTokenField(made, session.place, session.token);
}

export interface WholeReply {
  readonly head: ReplyHead;
  readonly body: Buffer;
}

/** Sends a request and resolves to the whole reply. Rejects with a `Refusal`. */
export function sendWhole(
  upstream: Upstream,
  request: UpstreamRequest,
  maxBytes: number = REPLY_BYTES_MAX,
): Promise<WholeReply> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let head: ReplyHead | null = null;
    upstream.call(request, {
      head(received) {
        head = received;
      },
      data(chunk) {
        bytes += chunk.length;
        if (bytes > maxBytes) {
          throw new Refusal('UPSTREAM_RESPONSE_LIMIT', 'reply to a call of the gateway itself');
        }
        chunks.push(chunk);
      },
      end: () => head !== null && resolve({ head, body: Buffer.concat(chunks) }),
      failed: reject,
    });
  });
}

/** The content of a reply, inflated, and repaired as far as the operation tolerates it. */
function contentOf(
  { service, operation }: ConstantCall,
  { head, body }: WholeReply,
  charset: string | null,
): Buffer {
  const coding = head.header('content-encoding');
  const bytes = isGzip(coding) ? gunzipSync(body, { maxOutputLength: REPLY_BYTES_MAX }) : body;
  const tolerance = service.toleranceOf(operation);
  if (!tolerated.repairsBytes(tolerance)) return bytes;
  const repair = new ReplyRepair(tolerance, charset, () => {}, knownNamespace, REPLY_BYTES_MAX);
  return Buffer.concat([repair.write(bytes), repair.end()]);
}

/** Reads the reply to a call, where it is an envelope. Throws a `Refusal` of the upstream. */
export function readReply(call: ConstantCall, reply: WholeReply, handler: XmlHandler): void {
  const { head, body } = reply;
  const { readers, gate, replyVerification } = call.service;
  if (head.status === 401 || head.status === 403) {
    throw new Refusal('UPSTREAM_AUTH', `status ${head.status}`);
  }
  const isTyped = !call.service.toleranceOf(call.operation).has('media-type');
  const type =
    mimeTypes.readMediaType(head.header('content-type') ?? undefined) ??
    (isTyped ? null : { charset: null });
  if (body.length === 0 || type === null) return;
  const reader = readers.take(handler, type.charset);
  try {
    const rules = replyVerification?.decryption ?? null;
    const { headBytes, windowBytes } = gate;
    const { charset } = type;
    const input =
      rules === null
        ? reader
        : new encryption.MessageDecryption({
            rules,
            headBytes,
            windowBytes,
            readers,
            charset,
            verifier: null,
            output: reader,
          });
    input.write(contentOf(call, reply, charset));
    input.end();
  } catch (caught) {
    throw asUnverified(caught);
  } finally {
    readers.give(reader);
  }
}
