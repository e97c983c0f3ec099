import type { ReplyCache } from '../../cache/reply-cache.js';
import type { CacheRules, Invalidation, ReadRule, WriteRule } from '../../cache/rules.js';
import type { ReadKeys, WriteKeys } from '../../config/graphql/cache-keys.js';
import {
  type Finding,
  FindingsError,
  finding,
  findingsBelow,
  type Problem,
} from '../../config/keys/finding.js';
import type { Config } from '../../config/schema.js';
import { getOrMake, type Pace, spelling } from '../../core/index.js';
import { childrenOfBody, type Operation, type Particle, type XsdType } from '../../wsdl/index.js';
import { type Keeping, Kept } from '../keep.js';
import { OperationMap } from '../soap/operations/operation-map.js';
import type { ConfiguredService } from '../soap/service.js';

/** The cache rules of a generation. */
export interface Caching extends CacheRules<Operation> {
  /** The invalidations by the name of the operation. */
  readonly invalidations: ReadonlyMap<string, Invalidation>;
}

export const REPLY_CACHE = new Kept<ReplyCache>(
  'the cache of replies',
  'if `limits.cache` is the same',
);

/** The rules of a generation, and the operations that they were made for. */
interface KeptRules {
  readonly services: readonly ConfiguredService[];
  readonly caching: Caching;
}

export const CACHE_RULES = new Kept<KeptRules>(
  'of a service: cached replies',
  'if its configuration is the same (with `auth.login`, that of all services), and nothing ' +
    'else changed than services, `include`, `links`, `subscriptions`, `reload` and `log`',
);

/** A write that began in the generation before may end after a reload. */
export const INVALIDATIONS = new Kept<Invalidation>(
  'invalidations of cached replies by writes that have begun',
  'always',
);

/**
 * The cache rules of the configuration. A rule of the generation before is kept, and with it what
 * is cached, where replies mean the same. Rejects with `ConfigurationError` for unknown names and
 * ambiguous operations.
 */
export async function compileCaching(
  config: Config,
  services: readonly ConfiguredService[],
  keeping: Keeping,
  pace: Pace,
): Promise<Caching> {
  const findings: Problem[] = [];
  const others = withoutServices(config);
  const earlier = await pace.run(CACHE_RULES.findInSteps(keeping, '', others));
  const kept = keptRules(services, earlier);
  const invalidations = new Map<string, Invalidation>();
  const invalidationOf = (name: string): Invalidation =>
    getOrMake(invalidations, name, () => {
      const make = (): Invalidation => ({ name, generation: 0, pausedUntilMillis: 0 });
      return INVALIDATIONS.keep(keeping, name, null, make);
    });
  const reads = new OperationMap<ReadRule>();
  const writes = new OperationMap<WriteRule>();
  for (const service of services) {
    for (const operation of service.operations) {
      const mapping = service.config.operations[operation.name];
      if (typeof mapping !== 'object') continue;
      const { read, write } = mapping;
      if (read === undefined && write === undefined) continue;
      const declared = { services, service, operation };
      if (read !== undefined) {
        const rule = kept.get(service.name, operation) ?? readRule(declared, read, invalidationOf);
        reads.set(service.name, operation, rule);
      }
      if (write !== undefined) {
        writes.set(service.name, operation, writeRule(declared, write, invalidationOf));
      }
      const path = ['services', service.name, 'operations', operation.name];
      findings.push(...findingsBelow(path, checkDeclared(declared, read, write)));
    }
  }
  if (findings.length > 0) throw new FindingsError(findings);
  const caching: Caching = {
    read: (service, operation) => reads.get(service, operation),
    write: (service, operation) => writes.get(service, operation),
    invalidations,
  };
  CACHE_RULES.set(keeping, '', others, { services, caching });
  return caching;
}

/**
 * The rules of operations whose replies mean the same: their service is the same, and so is what is
 * not about services.
 */
function keptRules(
  services: readonly ConfiguredService[],
  earlier: KeptRules | null,
): OperationMap<ReadRule> {
  const rules = new OperationMap<ReadRule>();
  if (earlier === null) return rules;
  // A service with the same configuration and WSDL has the same list.
  const isSame = ({ name, operations }: ConfiguredService): boolean =>
    earlier.services.find((before) => before.name === name)?.operations === operations;
  const areAllSame = services.every(isSame);
  for (const service of services) {
    // The operation of another service may log in for it.
    const logsIn = service.config.auth?.login !== undefined;
    if (!(logsIn ? areAllSame : isSame(service))) continue;
    for (const operation of service.operations) {
      const rule = earlier.caching.read(service.name, operation);
      if (rule !== null) {
        rules.set(service.name, operation, rule);
      }
    }
  }
  return rules;
}

/** The keys that may change what a reply means, or which client may have it. */
function withoutServices({
  services,
  graphqlServices,
  include,
  links,
  subscriptions,
  reload,
  log,
  ...rest
}: Config) {
  return rest;
}

/** What declares an operation. */
interface Declared {
  readonly services: readonly ConfiguredService[];
  readonly service: ConfiguredService;
  readonly operation: Operation;
}

type InvalidationOf = (name: string) => Invalidation;

function readRule(
  { service, operation }: Declared,
  { cacheMillis, staleMillis, scope }: ReadKeys,
  invalidationOf: InvalidationOf,
): ReadRule {
  return Object.freeze({
    service: service.name,
    operation: operation.name,
    freshMillis: cacheMillis,
    staleMillis,
    isShared: scope === 'shared',
    isData: holdsData(operation),
    invalidation: invalidationOf(`${service.name}.${operation.name}`),
  });
}

const writeRule = (
  declared: Declared,
  { invalidates }: WriteKeys,
  invalidationOf: InvalidationOf,
): WriteRule =>
  Object.freeze({
    invalidations: invalidates.map((entry) => invalidationOf(fullName(declared, entry))),
  });

function checkDeclared(
  declared: Declared,
  read: ReadKeys | undefined,
  write: WriteKeys | undefined,
): readonly Finding[] {
  const { requests } = declared.service;
  const { input, output, name, soapAction } = declared.operation;
  const findings: Finding[] = [];
  const find = (key: 'read' | 'write', what: string, remedy: string): void => {
    findings.push(finding([key], what, remedy));
  };
  const key = read === undefined ? 'write' : 'read';
  if (read !== undefined && write !== undefined) {
    find(
      'write',
      `Operation \`${name}\` is declared to read and to write.`,
      'Remove `read`: calls that write are never cached.',
    );
  }
  if (read !== undefined && output === null) {
    find('read', `Operation \`${name}\` answers nothing that could be read.`, 'Remove `read`.');
  }
  if (read !== undefined && read.staleMillis > 0 && read.cacheMillis === 0) {
    find(
      'read',
      '`staleMillis` is of no use where nothing is remembered.',
      'Give `cacheMillis` too.',
    );
  }
  const known = requests.find(input.body?.name ?? null);
  const other = known?.candidates.find((candidate) => candidate.name !== name);
  if (other !== undefined) {
    const what =
      `Operation \`${name}\` has the same request as \`${other.name}\`: ` +
      'a message need not name its operation.';
    find(key, what, 'Declare nothing of either.');
  } else if (known?.soapAction === null && soapAction !== null && soapAction !== '') {
    const what =
      `Operation \`${name}\` shares its request with another, which differs ` +
      'by its SOAPAction alone.';
    find(key, what, 'Declare nothing of either.');
  }
  for (const [index, entry] of (write?.invalidates ?? []).entries()) {
    findings.push(...checkEntry(declared, entry, index));
  }
  return findings;
}

function checkEntry(declared: Declared, entry: string, index: number): readonly Finding[] {
  const { services } = declared;
  const [serviceName = '', ...rest] = fullName(declared, entry).split('.');
  const name = rest.join('.');
  const path = ['write', 'invalidates', index];
  const service = services.find((one) => one.name === serviceName);
  const among = service?.operations ?? [];
  const found = among.find((operation) => operation.name === name);
  if (found === undefined || service === undefined) {
    const known = among.map((operation) => operation.name);
    const what = `There is no operation \`${entry}\` that could be forgotten.`;
    return [finding(path, what, spelling.didYouMean(name, known))];
  }
  const mapping = service.config.operations[name];
  if (typeof mapping === 'object' && mapping.read !== undefined) return [];
  return [
    finding(
      path,
      `Operation \`${entry}\` is not declared to read: nothing of it is remembered.`,
      'Give it `read`, or take it out.',
    ),
  ];
}

/**
 * Names of operations may hold dots, names of services none: a first word that is no service is
 * part of the name.
 */
function fullName({ services, service }: Declared, entry: string): string {
  const dot = entry.indexOf('.');
  const isElsewhere = dot > 0 && services.some(({ name }) => name === entry.slice(0, dot));
  return isElsewhere ? entry : `${service.name}.${entry}`;
}

/**
 * Whether the requested content is data: no mixed content, no undeclared content, no QNames. Then
 * white space beside elements is layout, and prefixes mean nothing in texts.
 */
function holdsData({ input, use, status }: Operation): boolean {
  if (use === 'encoded' || status === 'disabled') return false;
  const seen = new Set<XsdType>(childrenOfBody(input).map(({ type }) => type));
  // Types that are added during the walk are walked too.
  for (const type of seen) {
    const parts = partsOf(type);
    if (parts === null) return false;
    for (const part of parts) {
      seen.add(part);
    }
  }
  return true;
}

/** The types that stand within this one, or for it; null for what is no data. */
function partsOf(type: XsdType): readonly XsdType[] | null {
  if (type.kind === 'simple') {
    if (NO_DATA.has(type.builtIn)) return null;
    return type.item === null ? type.members : [type.item, ...type.members];
  }
  const { content, attributes, anyAttribute, derived } = type;
  const parts: XsdType[] = [...derived, ...attributes.map((attribute) => attribute.type)];
  if (content.kind === 'opaque' || anyAttribute !== null) return null;
  if (content.kind === 'text') {
    parts.push(content.type);
  }
  if (content.kind === 'array') {
    parts.push(content.item);
  }
  const particles: Particle[] = content.kind === 'elements' ? [content.particle] : [];
  for (let particle = particles.pop(); particle !== undefined; particle = particles.pop()) {
    if (particle.kind === 'any') return null;
    if (particle.kind === 'one') {
      parts.push(particle.element.type);
    } else {
      particles.push(...particle.particles);
    }
  }
  return parts;
}

/** QNames, and what xsi:type may make one of. */
const NO_DATA: ReadonlySet<string> = new Set([
  'QName',
  'NOTATION',
  'anySimpleType',
  'anyAtomicType',
  'anyType',
]);
