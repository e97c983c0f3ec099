import type { Forwarding } from '../../access/network/forwarding.js';
import type { Via } from '../../access/network/via.js';
import type { Config, ServiceConfig } from '../../config/schema.js';
import type { ConfigSection } from '../../config/section.js';
import type { Diagnostic, Pace, Requirement, Tolerance } from '../../core/index.js';
import {
  type DetailRules,
  DIALECT_NAMES,
  DIALECTS,
  type Dialect,
  type EnvelopeRules,
  type ExpectedParts,
  type FreshnessChecker,
  type GateOptions,
  type InflateLimits,
  type MimeLimits,
  SECURITY_NAMES,
} from '../../soap/index.js';
import {
  BoundUpstreams,
  type CallRules,
  type HealthChecks,
  Upstream,
  type UpstreamLimits,
} from '../../upstream/index.js';
import type { Operation, Port, WsdlModel } from '../../wsdl/index.js';
import type { SigningRules } from '../../wss/index.js';
import { type QName, ReaderPool, type XmlLimits } from '../../xml/index.js';
import { type CallerFieldRules, compileCallerFields } from '../backend/caller-fields.js';
import { compileCallRules } from '../backend/calls.js';
import { BACKENDS, reachKeys } from '../backend/kept-backend.js';
import { compileReach, limitsOf, type Reach, warningsOfTls } from '../backend/reach.js';
import { type Keeping, Kept } from '../keep.js';
import { type AddressingTable, compileAddressing } from './addressing.js';
import { type CallHead, compileCallHeads } from './call-heads.js';
import { Destinations } from './destinations.js';
import type { KnownModel, WsdlReader } from './documents/named-wsdl.js';
import { openedOperations } from './documents/opened-operations.js';
import { choosePorts } from './documents/ports.js';
import { serviceDigest } from './documents/service-digest.js';
import { type Versions, versionsOf, versionWarnings } from './documents/versions.js';
import { warningsOfWsdl } from './documents/wsdl-warnings.js';
import { type IdempotencyRule, idempotencyRulesOf } from './idempotency.js';
import type { DeclaredOutputs, OutputMatch } from './operations/declared-outputs.js';
import { OperationTable } from './operations/operation-table.js';
import { compileReplies } from './operations/replies.js';
import { checkValidity, type Validity, validityOf } from './operations/validity.js';
import { claimsIn } from './request-claims.js';
import { operationRequirements } from './rights.js';
import { sdlOperationsOf } from './sdl-operations.js';
import { compileMadeSecurity, compileSigning, type MadeBlock } from './security/made-security.js';
import { compileReplyVerification, type ReplyVerification } from './security/reply-verification.js';
import { compileFreshness, NONCES } from './security/request-freshness.js';
import { compileVerification, type Verification } from './security/verification.js';
import {
  blockNames,
  compileTokenPlace,
  type ServiceSession,
  type TokenPlace,
} from './token-place.js';

/** One SOAP backend as requests see it: its name, the rules of its messages, its upstream. */
export interface SoapService {
  readonly name: string;
  readonly path: string;
  /** The first one is used for calls. */
  readonly dialects: readonly [Dialect, ...(readonly Dialect[])];
  readonly mediaTypes: ReadonlySet<string>;
  readonly xmlLimits: XmlLimits;
  readonly mimeLimits: MimeLimits;
  readonly inflateLimits: InflateLimits;
  /**
   * A request longer than the window whose length is not known is collected up to this; null: it
   * flows.
   */
  readonly bufferBytes: number | null;
  /** A package whose signature covers parts of it by Includes is collected up to this. */
  readonly heldBytes: number;
  readonly readers: ReaderPool;
  readonly requestRules: EnvelopeRules;
  readonly replyRules: EnvelopeRules;
  /** As in `enforce`; in `monitor` each request reports its own violation. */
  readonly gate: GateOptions;
  readonly mode: 'enforce' | 'monitor';
  readonly upstream: Upstream;
  /** Connections of callers that authenticate themselves; null where they do not. */
  readonly bound: BoundUpstreams | null;
  readonly reach: Reach;
  /** Null for none. Added when all services are compiled. */
  readonly health: HealthChecks | null;
  /** Call rules of an operation that has its own; null: those of the service apply. */
  readonly callRules: (operation: Operation | null) => CallRules | null;
  readonly callerFields: CallerFieldRules;
  /** The credentials of callers are for the backend: the gateway has none of its own for it. */
  readonly passesCredentials: boolean;
  /** WS-Security of the messages that the gateway writes. */
  readonly callHead: (operation: Operation) => CallHead;
  /** Null for a service with SDL types. */
  readonly wsdl: WsdlModel | null;
  /** What that was read from; null where `wsdl` is. */
  readonly source: KnownModel | null;
  /**
   * Those of the WSDL that are offered, with the names that their operations have in this service.
   */
  readonly ports: readonly Port[];
  /** Of the chosen ports, or from the SDL types. */
  readonly operations: readonly Operation[];
  /** The operations of requests, whichever port offers them. */
  readonly requests: OperationTable;
  /** Checks the age of requests; null where the configuration does not ask for it. */
  readonly freshness: FreshnessChecker | null;
  /** Verifies the Security blocks of requests; null where the configuration does not ask for it. */
  readonly verification: Verification | null;
  /** Verifies the Security blocks of replies; null where the configuration does not ask for it. */
  readonly replyVerification: ReplyVerification | null;
  /** The WS-Addressing of the requests that the gateway makes; null where no operation has any. */
  readonly addressing: AddressingTable;
  /** Null where calls carry no token of a login session. */
  readonly tokenPlace: TokenPlace | null;
  /** That session, which may be with another service: added when all are compiled. */
  readonly session: ServiceSession | null;
  /** The Security block of calls; null for none. */
  readonly security: MadeBlock | null;
  /** Signs calls; null where they are not. */
  readonly signing: SigningRules | null;
  /**
   * Names `{uri}local` of the header blocks that the gateway writes into calls of GraphQL fields.
   */
  readonly ownBlocks: readonly string[];
  /** Addresses that requests may name in `To`. */
  readonly destinations: Destinations;
  /** Null where no content is validated. */
  readonly validity: Validity | null;
  /** A request for an operation that the WSDL does not have is refused. */
  readonly refusesUnknown: boolean;
  /** WS-Addressing of requests is checked. */
  readonly checksAddressing: boolean;
  /** The gateway's own address in `To` becomes that of the backend. */
  readonly rewritesTo: boolean;
  /** The Security block of a SOAP caller is replaced by that of the gateway. */
  readonly replacesSecurity: boolean;
  /** Nonces that cannot be compared with those of other processes are accepted. */
  readonly acceptsUncomparedNonces: boolean;
  /** Messages may be multipart packages. */
  readonly acceptsPackages: boolean;
  /** A reply is read only as far as its decoding needs. */
  readonly endsEarly: boolean;
  readonly servesWsdl: boolean;
  /** The claims of callers that requests of an operation hold, and maybe some more, by its name. */
  readonly claims: ReadonlyMap<string, readonly string[]>;
  /** The addresses of the configuration. */
  readonly urls: readonly string[];
  readonly upstreamLimits: UpstreamLimits;
  /** A digest of its configuration and WSDL: processes with another one may mean another call. */
  readonly digest: () => string;
  readonly warnings: readonly Diagnostic[];
  /**
   * What callers of an operation must have, by its name; operations that are not in it require
   * nothing.
   */
  readonly requirements: ReadonlyMap<string, Requirement>;
  /**
   * Points that a SOAP call of the operation takes from a client's budget; null: of an unknown
   * operation.
   */
  weightOf(operation: Operation | null): number;
  /**
   * Which parts of a Fault's detail a caller may see (catalogue S25); null: of an operation that is
   * not known.
   */
  detailRules(operation: Operation | null): DetailRules;
  /** The operation may be called again when it is not known whether it was (D5). */
  isIdempotent(operation: Operation | null): boolean;
  /** The rules of operations whose requests may have an idempotency key, by their names. */
  readonly idempotency: ReadonlyMap<string, IdempotencyRule>;
  /** Whether a reply to this operation may have this child of Body (catalogue U01). */
  isReply(operation: Operation | null, body: QName | null): boolean;
  /** Whether a reply to this operation may have an empty Body, or no content at all. */
  mayBeEmpty(operation: Operation | null): boolean;
  /**
   * How an element matches the outputs of other operations of any service at the same addresses.
   */
  outputMatch(body: QName, own: string | null): OutputMatch;
  /** The deviations that pass of the replies to this operation; null: of one that is not known. */
  toleranceOf(operation: Operation | null): Tolerance;
  /** The parts of the Body of a reply to this operation; null where that is one child. */
  replyParts(operation: Operation | null): ExpectedParts | null;
}

/** A service with its configuration, from which other tables are made at start-up. */
export interface ConfiguredService extends SoapService {
  readonly config: ServiceConfig;
}

/** What the services of a configuration have in common. */
export interface ServiceParts {
  readonly gateway: Pick<Config, 'limits' | 'roles' | 'understands' | 'publicUrl' | 'clients'>;
  readonly wsdls: WsdlReader;
  readonly forwarding: Forwarding;
  readonly via: Via;
  readonly pace: Pace;
  readonly keeping: Keeping;
  readonly outputs: DeclaredOutputs;
}

/**
 * What has the limits of a service within: shared by its calls, whatever generation they began in.
 */
interface KeptCalls extends Pick<SoapService, 'callRules' | 'bound'> {}

export const CALL_LIMITS = new Kept<KeptCalls>(
  'of a service: limits of its operations, connections that callers authenticate',
  'if its configuration is the same',
);

/**
 * The same objects for the same operations: the schema of the generation before may then be kept.
 */
export const DESCRIPTIONS = new Kept<
  Pick<SoapService, 'wsdl' | 'ports' | 'operations' | 'requests'>
>('of a service: its operations, as compiled', 'if its configuration and WSDL are the same');

/** Whether the backend gets the credentials of callers, and none of the gateway. */
function passesCredentials({ auth, headers }: ServiceConfig): boolean {
  const isFixed = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  return auth === undefined ? !isFixed : auth.passthrough === true;
}

/** Compiles one service. Throws `ConfigurationError`. */
export async function compileService(
  section: ConfigSection<ServiceConfig>,
  parts: ServiceParts,
): Promise<ConfiguredService> {
  const { gateway, forwarding, via, keeping } = parts;
  const { name, value: config } = section;
  const { limits } = gateway;
  const { opened, versions, ...description } = await describeService(section, parts);
  const { wsdl, source, operations, requests } = description;
  const [first, ...others] = versions;
  const dialects = [DIALECTS[first], ...others.map((version) => DIALECTS[version])] as const;
  const freshness = compileFreshness(name, config, limits.soap, keeping);
  const verification = compileVerification(section, limits.soap.nonces, keeping);
  const validity = validityOf(section, limits.validity, wsdl, operations);
  checkValidity(section, wsdl, validity);
  const reachedBy = reachKeys(config);
  const reached = BACKENDS.find(keeping, name, reachedBy);
  const reach = reached?.reach ?? (await compileReach(section));
  const upstream = reached?.upstream ?? new Upstream(config.urls, limitsOf(config), reach);
  const addressing = compileAddressing(section, operations);
  const tokenPlace = compileTokenPlace(section, operations);
  const calls = CALL_LIMITS.find(keeping, name, config);
  const rules = envelopeRules(config, gateway, {
    versions,
    requests,
    tokenPlace,
    readsSecurity: freshness !== null,
  });
  const replyVerification = compileReplyVerification(section, rules.replyRules);
  const service: ConfiguredService = {
    name,
    path: config.path,
    dialects,
    mediaTypes: new Set(dialects.map((dialect) => dialect.mediaType)),
    ...messageLimits(config, limits),
    ...rules,
    ...description,
    ...switches(config),
    callRules: calls?.callRules ?? compileCallRules(name, config, upstream),
    health: null,
    reach,
    callerFields: compileCallerFields(config, forwarding, via),
    passesCredentials: passesCredentials(config),
    freshness,
    verification,
    replyVerification,
    addressing,
    callHead: compileCallHeads(dialects[0], addressing, operations, config),
    security: compileMadeSecurity(section),
    signing: compileSigning(section),
    ownBlocks: [
      ...(config.security.make === undefined ? [] : SECURITY_NAMES),
      ...blockNames(tokenPlace),
    ],
    tokenPlace,
    session: null,
    destinations: new Destinations(
      config,
      gateway.publicUrl,
      claimedAddresses(source?.written ?? null),
    ),
    validity,
    config,
    claims: claimsIn(config, operations),
    digest: serviceDigest(config, source),
    requirements: operationRequirements(config),
    idempotency: idempotencyRulesOf(config, limits.soap.bufferBytes),
    weightOf: weightsOf(config, limits.graphql.callCost),
    warnings: [
      ...(opened?.warnings ?? []),
      ...warningsOfWsdl(wsdl, description.ports, config),
      ...versionWarnings(section, wsdl, description.ports),
      ...(verification?.warnings ?? []),
      ...(replyVerification?.warnings ?? []),
      ...warningsOfTls(section, reach.tls, `Service \`${name}\``),
    ],
    ...compileReplies(config, wsdl !== null, operations, parts.outputs),
    // Last: a service that is refused holds nothing.
    upstream: reached === null ? upstream : upstream.hold(),
    bound:
      calls?.bound?.hold() ??
      (config.auth?.passthrough === true
        ? new BoundUpstreams(config.urls, config.limits.upstream, reach)
        : null),
  };
  BACKENDS.set(keeping, name, reachedBy, service);
  CALL_LIMITS.set(keeping, name, config, service);
  DESCRIPTIONS.set(keeping, name, config, service);
  if (freshness !== null) {
    NONCES.set(keeping, name, null, freshness);
  }
  return service;
}

/** The description of a service by its WSDL, or by SDL types where it has none. */
interface ServiceDescription
  extends Pick<SoapService, 'wsdl' | 'source' | 'ports' | 'operations' | 'requests'> {
  readonly opened: ReturnType<typeof openedOperations> | null;
  readonly versions: Versions;
}

async function describeService(
  section: ConfigSection<ServiceConfig>,
  { gateway, wsdls, pace, keeping }: ServiceParts,
): Promise<ServiceDescription> {
  await pace.pause();
  const { name, value: config } = section;
  const source = await wsdls.read(section);
  const opened = source === null ? null : openedOperations(section, gateway.clients, source);
  const all = opened?.model.services.flatMap((described) => described.ports) ?? [];
  const versions = versionsOf(config, all);
  const chosen = opened === null ? null : choosePorts(section, opened.model, versions);
  const wsdl = chosen?.wsdl ?? null;
  await pace.pause();
  const before = DESCRIPTIONS.find(keeping, name, config);
  if (before !== null && before.wsdl === wsdl) {
    const { ports, operations, requests } = before;
    return { opened, versions, source, wsdl, ports, operations, requests };
  }
  const configured = (described: readonly Operation[]): readonly Operation[] =>
    described.map((operation) => withConfiguredKeys(operation, config));
  const ports = (chosen?.ports ?? []).map((port) => ({
    ...port,
    operations: configured(port.operations),
  }));
  const operations =
    chosen === null
      ? configured(sdlOperationsOf(section))
      : ports.flatMap((port) => port.operations);
  const requests = new OperationTable(operations, wsdl, (operation) =>
    configuredAction(operation, config),
  );
  return { opened, versions, source, wsdl, ports, operations, requests };
}

/** The bounds of the bytes of its messages. */
function messageLimits(
  { limits: { xml }, bufferRequests, security: { make } }: ServiceConfig,
  { mime, soap }: Config['limits'],
): Pick<
  SoapService,
  'xmlLimits' | 'mimeLimits' | 'inflateLimits' | 'bufferBytes' | 'heldBytes' | 'readers' | 'gate'
> {
  const { inflateRatio, inflateFreeBytes } = soap;
  return {
    xmlLimits: xml,
    mimeLimits: mime,
    inflateLimits: { messageBytes: xml.messageBytes, inflateRatio, inflateFreeBytes },
    // What is signed has to be whole: the signature stands before it.
    bufferBytes:
      bufferRequests || (make?.replace === true && make.signature !== undefined)
        ? soap.bufferBytes
        : null,
    heldBytes: soap.bufferBytes,
    readers: new ReaderPool(xml),
    gate: { windowBytes: soap.windowBytes, headBytes: soap.headerBytes, onViolation: null },
  };
}

/**
 * What an envelope is checked for: on the way to the backend strictly, on the way back only what
 * decoding needs.
 */
function envelopeRules(
  config: ServiceConfig,
  { roles, understands, limits: { soap } }: ServiceParts['gateway'],
  { versions, requests, tokenPlace, readsSecurity }: EnvelopeParts,
): Pick<SoapService, 'requestRules' | 'replyRules'> {
  const role = config.security.verify?.role;
  const header = {
    ownTargets: new Set([...roles, ...(role === undefined || role === 'next' ? [] : [role])]),
    // A block for the gateway that it has verified is taken out.
    understoodByGateway: new Set([...understands, ...(role === undefined ? [] : SECURITY_NAMES)]),
    understoodByService: config.understands === undefined ? null : new Set(config.understands),
  };
  const rules = {
    headerBlocksMax: soap.headerBlocks,
    idsMax: soap.ids,
    readsSecurity: false,
    multiRef: requests.mayBeEncoded,
    arrayItemsMax: requests.mayBeEncoded ? soap.arrayItems : null,
  };
  const checksAddressing = config.addressing.check;
  return {
    requestRules: {
      ...rules,
      dialects: new Set(versions),
      header: { ...header, enforce: true, checksAddressing, ...replacedBlocks(config, tokenPlace) },
      readsSecurity,
    },
    // Some stacks fault in another version than they were asked in; that is still an answer.
    replyRules: {
      ...rules,
      dialects: new Set(DIALECT_NAMES),
      header: { ...header, enforce: false, checksAddressing: false },
    },
  };
}

interface EnvelopeParts {
  readonly versions: Versions;
  readonly requests: OperationTable;
  readonly tokenPlace: SoapService['tokenPlace'];
  readonly readsSecurity: boolean;
}

/** Keys of the configuration that requests ask for as they are. */
const switches = (config: ServiceConfig) => ({
  mode: config.mode,
  refusesUnknown: config.unknownOperations === 'refuse',
  checksAddressing: config.addressing.check,
  rewritesTo: config.addressing.rewriteTo,
  replacesSecurity: config.security.make?.replace === true,
  acceptsUncomparedNonces: config.security.noncesWithoutRedis,
  acceptsPackages: config.attachments,
  // The end of a reply decides whether it is verified.
  endsEarly: config.earlyEnd && config.security.verifyReplies === undefined,
  servesWsdl: config.serveWsdl,
  urls: config.urls,
  upstreamLimits: config.limits.upstream,
});

/**
 * A SOAP call costs as much as the same call by GraphQL, unless the configuration sets another
 * weight.
 */
function weightsOf(
  { operations, callCost }: ServiceConfig,
  gatewayCallCost: number,
): SoapService['weightOf'] {
  const otherwise = callCost ?? gatewayCallCost;
  const weights = new Map<string, number>();
  for (const [name, mapping] of Object.entries(operations)) {
    const weight = typeof mapping === 'object' ? (mapping.weight ?? mapping.cost) : undefined;
    if (weight !== undefined) {
      weights.set(name, weight);
    }
  }
  return (operation) =>
    operation === null ? otherwise : (weights.get(operation.name) ?? otherwise);
}

/** The blocks of SOAP callers that the gateway replaces by its own. */
function replacedBlocks(
  { security }: ServiceConfig,
  place: TokenPlace | null,
): { replaced?: ReadonlySet<string> } {
  const isReplaced = security.make?.replace === true || security.verify?.remove === true;
  const names = [...(isReplaced ? SECURITY_NAMES : []), ...blockNames(place)];
  return names.length === 0 ? {} : { replaced: new Set(names) };
}

/** The action the configuration gives an operation, or null. */
function configuredAction({ name }: Operation, config: ServiceConfig): string | null {
  const mapping = config.operations[name];
  return typeof mapping === 'object' ? (mapping.soapAction ?? null) : null;
}

/** The operation with the configured keys of its messages in place of the WSDL. */
function withConfiguredKeys(operation: Operation, config: ServiceConfig): Operation {
  const mapping = config.operations[operation.name];
  const { soapAction = operation.soapAction, oneWay = false } =
    typeof mapping === 'object' ? mapping : {};
  if (soapAction === operation.soapAction && !oneWay) return operation;
  return Object.freeze({ ...operation, soapAction, ...(oneWay ? { output: null } : {}) });
}

/**
 * The addresses that the WSDL of the operator gives its ports. They are never called: clients may
 * send them in `To`.
 */
const claimedAddresses = (wsdl: WsdlModel | null): readonly string[] =>
  (wsdl?.services ?? []).flatMap(({ ports }) =>
    ports.flatMap(({ address }) => (address === null ? [] : [address])),
  );
