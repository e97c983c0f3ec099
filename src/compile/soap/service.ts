import type { Forwarding } from '../../access/network/forwarding.js';
import type { Via } from '../../access/network/via.js';
import { findingsBelow, type Problem } from '../../config/keys/finding.js';
import type { ServicePlan } from '../../config/plans/service-plan.js';
import type { Config, ServiceConfig } from '../../config/schema.js';
import type { inputFiles, Pace, scopeRules, tolerated } from '../../core/index.js';
import type { CanaryShare } from '../../gateway/canary/canary-share.js';
import type { ShadowTraffic } from '../../gateway/shadow/shadow-traffic.js';
import {
  DIALECTS,
  type Dialect,
  type DialectName,
  type ExpectedParts,
  headerBlocks,
  type soapFaults,
} from '../../soap/index.js';
import type { healthChecks, Upstream } from '../../upstream/index.js';
import type { Operation } from '../../wsdl/index.js';
import type { SigningRules } from '../../wss/index.js';
import type { QName } from '../../xml/index.js';
import { type CallerFieldRules, compileCallerFields } from '../backend/caller-fields.js';
import { compileInspection, type InspectRules } from '../backend/inspection.js';
import { BACKENDS, keysOfBackend } from '../backend/kept-backend.js';
import { warningsOfTls } from '../backend/reach.js';
import { compileRecording, type RecordRules } from '../backend/recording.js';
import {
  compileSecondBackend,
  holdSecondBackend,
  type SecondBackend,
} from '../backend/second-backend.js';
import type { Keeping } from '../keep.js';
import { type AddressingTable, compileAddressing } from './addressing.js';
import { type CallHead, compileCallHeads } from './call-heads.js';
import { Destinations } from './destinations.js';
import {
  DESCRIPTIONS,
  describeService,
  portAddresses,
  type ServiceOperations,
} from './documents/describe-service.js';
import type { WsdlReader } from './documents/named-wsdl.js';
import { serviceDigest } from './documents/service-digest.js';
import { bridgedVersions, type Versions } from './documents/versions.js';
import { type IdempotencyRule, idempotencyRulesOf } from './idempotency.js';
import {
  envelopeRules,
  type MessageLimits,
  messageLimits,
  type Switches,
  switches,
  weightsOf,
} from './message-rules.js';
import type { DeclaredOutputs, OutputMatch } from './operations/declared-outputs.js';
import { compileReplies } from './operations/replies.js';
import { compileValidity, type Validity } from './operations/validity.js';
import { claimsIn } from './request-claims.js';
import { operationRequirements } from './rights.js';
import { compileEncryption, type MadeEncryption } from './security/made-encryption.js';
import { compileMadeSecurity, compileSigning, type MadeBlock } from './security/made-security.js';
import { compileReplyVerification, type ReplyVerification } from './security/reply-verification.js';
import { compileFreshness, NONCES } from './security/request-freshness.js';
import { compileVerification, type Verification } from './security/verification.js';
import {
  CALL_LIMITS,
  compileBackend,
  holdCalls,
  type KeptCalls,
  type ServiceBackend,
} from './service-backend.js';
import {
  blockNames,
  compileTokenPlace,
  type ServiceSession,
  type TokenPlace,
} from './token-place.js';

/** One SOAP backend as requests see it: its name, the rules of its messages, its upstream. */
export interface SoapService
  extends ServiceOperations,
    ServiceBackend,
    KeptCalls,
    MessageLimits,
    Switches {
  readonly name: string;
  readonly path: string;
  /** Those that callers may speak. The first one is used for calls. */
  readonly dialects: readonly [Dialect, ...(readonly Dialect[])];
  /** Dialects of `dialects` whose messages are put into the first one. */
  readonly bridged: ReadonlySet<Dialect>;
  readonly mediaTypes: ReadonlySet<string>;
  readonly requestRules: headerBlocks.EnvelopeRules;
  readonly replyRules: headerBlocks.EnvelopeRules;
  /** The new backend that gets a share of its calls; null for none. Added when all are compiled. */
  readonly canary: Canary | null;
  /** The second backend that gets its reads as well; null for none. Added when all are compiled. */
  readonly shadow: Shadow | null;
  /** The new backend that this call is for; null: that of the service. */
  readonly chosen: ChosenBackend | null;
  /** Null for none. Added when all services are compiled. */
  readonly health: healthChecks.HealthChecks | null;
  readonly callerFields: CallerFieldRules;
  /** WS-Security of the messages that the gateway writes. */
  readonly callHead: (operation: Operation) => CallHead;
  /** Checks the age of requests; null where the configuration does not ask for it. */
  readonly freshness: headerBlocks.FreshnessChecker | null;
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
  /** Encrypts calls; null where they are not. */
  readonly encryption: MadeEncryption | null;
  /**
   * Names `{uri}local` of the header blocks that the gateway writes into calls of GraphQL fields.
   */
  readonly ownBlocks: readonly string[];
  /** Addresses that requests may name in `To`. */
  readonly destinations: Destinations;
  /** Null where no content is validated. */
  readonly validity: Validity | null;
  /** The claims of callers that requests of an operation hold, and maybe some more, by its name. */
  readonly claims: ReadonlyMap<string, readonly string[]>;
  /** A digest of its configuration and WSDL: processes with another one may mean another call. */
  readonly digest: () => string;
  /** The exchanges that are recorded; null where none are. */
  readonly recording: RecordRules | null;
  /** The exchanges that the console shows; null for none. */
  readonly inspection: InspectRules | null;
  readonly warnings: readonly Problem[];
  /**
   * What callers of an operation must have, by its name; operations that are not in it require
   * nothing.
   */
  readonly requirements: ReadonlyMap<string, scopeRules.Requirement>;
  /**
   * Points that a SOAP call of the operation takes from a client's budget; null: of an unknown
   * operation.
   */
  weightOf(operation: Operation | null): number;
  /**
   * Which parts of a Fault's detail a caller may see (catalogue S25); null: of an operation that is
   * not known.
   */
  detailRules(operation: Operation | null): soapFaults.DetailRules;
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
  toleranceOf(operation: Operation | null): tolerated.Tolerance;
  /** The parts of the Body of a reply to this operation; null where that is one child. */
  replyParts(operation: Operation | null): ExpectedParts | null;
}

/** A new backend that gets a share of the calls of a service. */
export interface Canary {
  /** A digest of the keys: what is known of another canary does not hold for this one. */
  readonly digest: string;
  readonly share: CanaryShare;
  /** The header field of callers whose calls all go there; null for none. */
  readonly header: { readonly name: string; readonly value: string } | null;
  /** The cookie that names the address of a caller; null for none. */
  readonly cookie: string | null;
  readonly upstream: Upstream;
  /** The service as it is called there, for one of the share. */
  readonly byShare: SoapService;
  /** For a caller that asks for it. */
  readonly byHeader: SoapService;
}

/** A second backend that gets the reads of a service as well. */
export interface Shadow {
  /** The service as it is called there. */
  readonly service: SoapService;
  /** The operations that are sent there. */
  readonly operations: ReadonlySet<string>;
  /** Paths of replies that may differ. */
  readonly ignore: ReadonlySet<string>;
  readonly traffic: ShadowTraffic;
}

/** The second backend of a service, as the backend of a call. */
export interface ChosenBackend {
  readonly digest: string;
  readonly share: CanaryShare;
  /** The caller has asked for it. */
  readonly isAsked: boolean;
}

/** A service with its configuration, from which other tables are made at start-up. */
export interface ConfiguredService extends SoapService {
  readonly plan: ServicePlan;
  readonly config: ServiceConfig;
  readonly second: SecondBackends;
}

/** The other backends of a service; null for none. */
interface SecondBackends {
  readonly canary: SecondBackend | null;
  readonly shadow: SecondBackend | null;
}

/** What the services of a configuration have in common. */
export interface ServiceParts {
  readonly gateway: Pick<
    Config,
    'limits' | 'console' | 'roles' | 'understands' | 'publicUrl' | 'clients'
  >;
  readonly inputs: inputFiles.Inputs;
  readonly wsdls: WsdlReader;
  readonly forwarding: Forwarding;
  readonly via: Via;
  readonly pace: Pace;
  readonly keeping: Keeping;
  readonly outputs: DeclaredOutputs;
}

/**
 * Compiles one service. Throws `FindingsError`, and `ConfigurationError` for what is in its WSDL.
 */
export async function compileService(
  plan: ServicePlan,
  parts: ServiceParts,
): Promise<ConfiguredService> {
  const { name, config } = plan;
  const { gateway, keeping, outputs } = parts;
  const { description, versions, warnings } = await describeService(plan, parts);
  const { operations, wsdl } = description;
  const received = compileReceived(plan, description, parts);
  const { isKept, reachedBy, ...backend } = await compileBackend(plan, keeping);
  const canary = await compileSecondBackend(plan.canary, 'canary', keeping);
  const shadow = await compileSecondBackend(plan.shadow, 'shadow', keeping);
  const bridged = bridgedVersions(config, versions);
  const calls = compileCalls(plan, description, versions, bridged);
  const messages = compileMessages(plan, parts, {
    versions: [...versions, ...bridged],
    requests: description.requests,
    tokenBlocks: blockNames(calls.tokenPlace),
    readsSecurity: received.freshness !== null,
  });
  const found = [
    ...warnings,
    ...(received.verification?.warnings ?? []),
    ...(messages.replyVerification?.warnings ?? []),
    ...warningsOfTls(backend.reach.tls, `Service \`${name}\``),
  ];
  const service: ConfiguredService = {
    name,
    plan,
    config,
    ...description,
    ...received,
    ...backend,
    ...calls,
    ...messages,
    ...compileOwnSecurity(plan, calls.tokenPlace),
    ...tablesOf(plan, description, parts),
    ...compileReplies(config, wsdl !== null, operations, outputs),
    session: null,
    health: null,
    canary: null,
    shadow: null,
    chosen: null,
    second: { canary, shadow },
    recording: compileRecording(plan, operations, gateway.limits.record),
    inspection: compileInspection(plan, gateway),
    warnings: findingsBelow(['services', name], found),
    // Last: a service that is refused holds nothing.
    ...holdCalls(plan, backend, { isKept, keeping }),
  };
  holdSecondBackend(canary, keeping);
  holdSecondBackend(shadow, keeping);
  BACKENDS.set(keeping, name, reachedBy, service);
  CALL_LIMITS.set(keeping, name, keysOfBackend(config), service);
  DESCRIPTIONS.set(keeping, name, config, service);
  if (service.freshness !== null) {
    NONCES.set(keeping, name, null, service.freshness);
  }
  return service;
}

/** The checks of messages that come. */
function compileReceived(
  plan: ServicePlan,
  { wsdl, operations }: ServiceOperations,
  { gateway: { limits }, keeping }: ServiceParts,
): Pick<SoapService, 'freshness' | 'verification' | 'validity'> {
  const freshness = compileFreshness(plan.name, plan.config, limits.soap, keeping);
  const verification = compileVerification(plan, limits.soap.nonces, keeping);
  return { freshness, verification, validity: compileValidity(plan, limits, wsdl, operations) };
}

/** The calls that the gateway makes. */
function compileCalls(
  plan: ServicePlan,
  { operations }: ServiceOperations,
  [first, ...others]: Versions,
  bridge: readonly DialectName[],
): Pick<
  SoapService,
  'addressing' | 'tokenPlace' | 'dialects' | 'bridged' | 'mediaTypes' | 'callHead'
> {
  const bridged = bridge.map((version): Dialect => DIALECTS[version]);
  const spoken = others.map((version): Dialect => DIALECTS[version]);
  const dialects = [DIALECTS[first], ...spoken, ...bridged] as const;
  const addressing = compileAddressing(plan, operations);
  return {
    addressing,
    tokenPlace: compileTokenPlace(plan, operations),
    dialects,
    bridged: new Set(bridged),
    mediaTypes: new Set(dialects.map((dialect) => dialect.mediaType)),
    callHead: compileCallHeads(dialects[0], addressing, operations, plan.config),
  };
}

/** The rules of envelopes, and the bounds of their bytes. */
function compileMessages(
  plan: ServicePlan,
  { gateway }: ServiceParts,
  parts: Parameters<typeof envelopeRules>[2],
): MessageLimits & Pick<SoapService, 'requestRules' | 'replyRules' | 'replyVerification'> {
  const rules = envelopeRules(plan.config, gateway, parts);
  return {
    ...messageLimits(plan.config, gateway.limits),
    ...rules,
    replyVerification: compileReplyVerification(plan, rules.replyRules),
  };
}

/** WS-Security of calls, and the names of all header blocks that the gateway writes into them. */
function compileOwnSecurity(
  plan: ServicePlan,
  tokenPlace: TokenPlace | null,
): Pick<SoapService, 'security' | 'signing' | 'encryption' | 'ownBlocks'> {
  return {
    security: compileMadeSecurity(plan),
    signing: compileSigning(plan),
    encryption: compileEncryption(plan),
    ownBlocks: [
      ...(plan.security.make === null ? [] : headerBlocks.SECURITY_NAMES),
      ...blockNames(tokenPlace),
    ],
  };
}

/** The tables that the keys of a service and its operations make without errors. */
const tablesOf = (
  { config }: ServicePlan,
  { source, operations }: ServiceOperations,
  { gateway: { limits, publicUrl }, forwarding, via }: ServiceParts,
) => ({
  path: config.path,
  ...switches(config),
  callerFields: compileCallerFields(config, forwarding, via),
  destinations: new Destinations(config, publicUrl, portAddresses(source?.written ?? null)),
  claims: claimsIn(config, operations),
  digest: serviceDigest(config, source),
  requirements: operationRequirements(config),
  idempotency: idempotencyRulesOf(config, limits.soap.bufferBytes),
  weightOf: weightsOf(config, limits.graphql.callCost),
});
