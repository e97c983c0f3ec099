import { contentValidity } from '../../../codec/index.js';
import { type Finding, FindingsError, finding } from '../../../config/keys/finding.js';
import type { ServicePlan } from '../../../config/plans/service-plan.js';
import type { Config, ServiceConfig } from '../../../config/schema.js';
import type { ValidationLevel } from '../../../config/soap/validation-keys.js';
import { getOrMake, Refusal } from '../../../core/index.js';
import { type ContentViolation, type Exchange, VIOLATIONS_MAX } from '../../../gateway/exchange.js';
import type { Operation, Payload, WsdlModel } from '../../../wsdl/index.js';
import { type StartTag, TeeHandler, type XmlHandler } from '../../../xml/index.js';
import {
  groupsIn,
  type MessageDirection,
  outputsByName,
  type Unvalidated,
  unvalidatedIn,
} from './unvalidated.js';

interface ValidityOptions {
  readonly requests: ValidationLevel;
  readonly replies: ValidationLevel;
  readonly limits: contentValidity.ValidityLimits & { readonly textChars: number };
  /** Names of the operations that the configuration sets to `false`. */
  readonly withheld: ReadonlySet<string>;
}

/**
 * The validation of the content of messages; null where the configuration asks for nothing, and
 * without a WSDL. Throws `FindingsError` where `enforce` is asked for and cannot be kept.
 */
export function compileValidity(
  plan: ServicePlan,
  { validity: limits }: Config['limits'],
  model: WsdlModel | null,
  operations: readonly Operation[],
): Validity | null {
  const validity = validityOf(plan, limits, model, operations);
  checkValidity(plan.config, model, validity);
  return validity;
}

function validityOf(
  { name, config }: ServicePlan,
  validityLimits: contentValidity.ValidityLimits,
  model: WsdlModel | null,
  operations: readonly Operation[],
): Validity | null {
  const { validate, mode, limits, operations: mappings } = config;
  if (model === null || (validate.requests === 'off' && validate.replies === 'off')) return null;
  const most = (level: ValidationLevel): ValidationLevel =>
    mode === 'monitor' && level === 'enforce' ? 'report' : level;
  return new Validity(name, model, operations, {
    requests: most(validate.requests),
    replies: most(validate.replies),
    limits: { ...validityLimits, textChars: limits.xml.textBytes },
    withheld: new Set(Object.keys(mappings).filter((key) => mappings[key] === false)),
  });
}

function checkValidity(
  { validate, mode }: ServiceConfig,
  model: WsdlModel | null,
  validity: Validity | null,
): void {
  const findings = (['requests', 'replies'] as const).flatMap((key): readonly Finding[] => {
    if (validate[key] !== 'enforce' || mode === 'monitor') return [];
    const what =
      model === null ? 'there is no WSDL' : (validity?.unvalidated(DIRECTIONS[key]) ?? null);
    if (what === null) return [];
    const remedy = model === null ? WSDL_REMEDY : REMEDY;
    return [finding(['validate', key], `\`${key}: enforce\` is not possible: ${what}.`, remedy)];
  });
  if (findings.length > 0) throw new FindingsError(findings);
}

const DIRECTIONS = { requests: 'request', replies: 'reply' } as const satisfies Readonly<
  Record<string, MessageDirection>
>;
const WSDL_REMEDY = 'Give `wsdl`, or set `report`.';
const REMEDY =
  'Import the schema that is missing, set the operation to `false` (requests for it are then ' +
  'refused), or set `report`.';

/** Operations and reasons that one text names. */
const LISTED_MAX = 10;

const listed = (texts: readonly string[], separator = ', '): string => {
  const more = texts.length > LISTED_MAX ? [`${texts.length - LISTED_MAX} more`] : [];
  return [...texts.slice(0, LISTED_MAX), ...more].join(separator);
};

/** Content of a reply that is tolerated. */
export interface ToleratedContent {
  /** Called where a required element is missing; null where that is a violation. */
  readonly onMissing: (() => void) | null;
  /** The namespace whose elements may have none; null where names are as declared. */
  readonly unqualifiedAs: string | null;
}

const STRICT_CONTENT: ToleratedContent = { onMissing: null, unqualifiedAs: null };

/**
 * Validates the Bodies of one service against its WSDL, as far as the configuration asks for it.
 */
export class Validity {
  readonly requests: ValidationLevel;
  readonly replies: ValidationLevel;
  readonly #service: string;
  readonly #schema: contentValidity.SchemaRules;
  readonly #model: WsdlModel;
  #lenient: contentValidity.SchemaRules | null = null;
  readonly #frames = new contentValidity.FramePool();
  readonly #thorough: contentValidity.ValidatorOptions;
  readonly #quick: contentValidity.ValidatorOptions;
  /** Operations that the service offers: of the chosen port, and not mapped to `false`. */
  readonly #offered: readonly Operation[];
  readonly #unvalidated: Readonly<Record<MessageDirection, Unvalidated>>;
  /**
   * The outputs that a reply to an operation may be, by the local name of the first element of
   * Body.
   */
  readonly #outputs = new Map<Operation, ReadonlyMap<string, readonly Payload[]>>();

  constructor(
    service: string,
    model: WsdlModel,
    operations: readonly Operation[],
    options: ValidityOptions,
  ) {
    this.requests = options.requests;
    this.replies = options.replies;
    this.#service = service;
    this.#model = model;
    this.#schema = new contentValidity.SchemaRules(model);
    this.#thorough = { ...options.limits, isThorough: true };
    this.#quick = { ...options.limits, isThorough: false };
    this.#offered = operations.filter(({ name }) => !options.withheld.has(name));
    const ports = model.services.flatMap((each) => each.ports.map((port) => port.operations));
    const lists = [operations, ...ports];
    this.#unvalidated = {
      request: unvalidatedIn(lists, 'request'),
      reply: unvalidatedIn(lists, 'reply'),
    };
    for (const group of lists.flatMap(groupsIn)) {
      const outputs = outputsByName(group);
      for (const operation of group) {
        this.#outputs.set(operation, outputs);
      }
    }
  }

  /**
   * The offered operations whose messages cannot be validated, by reason; null where all can be.
   */
  unvalidated(direction: MessageDirection): string | null {
    const byReason = new Map<string, Set<string>>();
    for (const operation of this.#offered) {
      const reason = this.#unvalidated[direction].get(operation);
      if (reason === undefined) continue;
      getOrMake(byReason, reason, () => new Set()).add(`\`${operation.name}\``);
    }
    if (byReason.size === 0) return null;
    const texts = [...byReason].map(([reason, names]) => `${listed([...names])} (${reason})`);
    return `these operations cannot be validated: ${listed(texts, '; ')}`;
  }

  /**
   * Refuses a request before any of it is sent, where it or its reply is enforced and cannot be
   * validated: the operation is unknown (no candidates), or one of the candidates is encoded,
   * disabled or ambiguous.
   */
  admit(candidates: readonly Operation[], label: string, exchange: Exchange): void {
    for (const direction of ['request', 'reply'] as const) {
      if (this.#level(direction) !== 'enforce') continue;
      const reasons = this.#unvalidated[direction];
      if (candidates.length > 0 && candidates.every((candidate) => !reasons.has(candidate))) {
        continue;
      }
      this.#note(exchange, label, 'request', UNVALIDATED);
      throw refusalOf(UNVALIDATED, 'request');
    }
  }

  /** Validates the request that begins with this child of Body; null where it is not validated. */
  request(operation: Operation, exchange: Exchange): contentValidity.ContentValidator | null {
    return this.#validator(operation, operation.input, 'request', exchange);
  }

  /** Validates the reply that begins with this child of Body; null where it is not validated. */
  reply(
    operation: Operation,
    tag: StartTag,
    exchange: Exchange,
    tolerated: ToleratedContent = STRICT_CONTENT,
  ): XmlHandler | null {
    const output = this.#outputs.get(operation)?.get(tag.local)?.[0] ?? null;
    const validator = this.#validator(operation, output, 'reply', exchange, tolerated);
    const notes = this.#missingIn(operation, output, tolerated);
    return validator === null || notes === null ? validator : new TeeHandler(validator, notes);
  }

  /**
   * Validates a reply that is decoded, but only where replies that break the schema are refused.
   */
  enforcedReply(
    operation: Operation,
    tag: StartTag,
    exchange: Exchange,
    tolerated: ToleratedContent = STRICT_CONTENT,
  ): XmlHandler | null {
    if (this.replies === 'enforce') return this.reply(operation, tag, exchange, tolerated);
    const output = this.#outputs.get(operation)?.get(tag.local)?.[0] ?? null;
    return this.#missingIn(operation, output, tolerated);
  }

  /** Finds out whether a required element is missing that may be; null where none may. */
  #missingIn(
    operation: Operation,
    output: Payload | null,
    { onMissing, unqualifiedAs }: ToleratedContent,
  ): contentValidity.ContentValidator | null {
    const { body = null, several } = output ?? {};
    if (onMissing === null || body === null || this.#unvalidated.reply.has(operation)) return null;
    const sink = ({ rule, what }: contentValidity.Violation): void => {
      if (rule === 'missing' || what.startsWith('is not expected here')) {
        onMissing();
      }
    };
    const options = unqualifiedAs === null ? this.#quick : { ...this.#quick, unqualifiedAs };
    const element = this.#schema.element(several?.whole ?? body);
    return new contentValidity.ContentValidator(this.#schema, element, sink, options, this.#frames);
  }

  /**
   * Reports a child of Body that no operation declares, or one beside those that its operation
   * declares.
   */
  undeclared(operation: Operation | null, direction: MessageDirection, exchange: Exchange): void {
    if (this.#level(direction) !== 'off') {
      this.#report(exchange, operation?.name ?? '_other', direction, UNVALIDATED);
    }
  }

  #level(direction: MessageDirection): ValidationLevel {
    return direction === 'request' ? this.requests : this.replies;
  }

  #validator(
    operation: Operation,
    payload: Payload | null,
    direction: MessageDirection,
    exchange: Exchange,
    { onMissing, unqualifiedAs }: ToleratedContent = STRICT_CONTENT,
  ): contentValidity.ContentValidator | null {
    const level = this.#level(direction);
    if (level === 'off') return null;
    const { body = null, several } = payload ?? {};
    if (body === null || this.#unvalidated[direction].has(operation)) {
      this.#report(exchange, operation.name, direction, UNVALIDATED);
      return null;
    }
    const sink = (violation: contentValidity.Violation): void =>
      this.#report(exchange, operation.name, direction, violation);
    const byLevel = level === 'enforce' ? this.#thorough : this.#quick;
    const options = unqualifiedAs === null ? byLevel : { ...byLevel, unqualifiedAs };
    const schema = onMissing === null ? this.#schema : this.#lenientSchema;
    const element = schema.element(several?.whole ?? body);
    return new contentValidity.ContentValidator(schema, element, sink, options, this.#frames);
  }

  /** The schema without what is required, for operations some of whose elements may be missing. */
  get #lenientSchema(): contentValidity.SchemaRules {
    this.#lenient ??= new contentValidity.SchemaRules(this.#model, true);
    return this.#lenient;
  }

  /** Content that cannot be validated is noted once for a message. */
  #note(
    exchange: Exchange,
    operation: string,
    direction: MessageDirection,
    { rule, what, path }: contentValidity.Violation,
  ): void {
    exchange.violations ??= [];
    const service = this.#service;
    const isSame = (other: ContentViolation): boolean =>
      other.rule === rule && other.operation === operation && other.direction === direction;
    if (exchange.violations.length >= VIOLATIONS_MAX) return;
    if (rule === 'unvalidated' && exchange.violations.some(isSame)) return;
    exchange.violations.push({ service, operation, direction, rule, what, path });
  }

  /** Throws it where it is enforced. */
  #report(
    exchange: Exchange,
    operation: string,
    direction: MessageDirection,
    violation: contentValidity.Violation,
  ): void {
    this.#note(exchange, operation, direction, violation);
    if (this.#level(direction) === 'enforce') throw refusalOf(violation, direction);
  }
}

/** A message that no declaration of the WSDL is for. */
const UNVALIDATED: contentValidity.Violation = {
  code: 'SCHEMA_INVALID',
  rule: 'unvalidated',
  what: 'cannot be validated: the service has no schema for it',
  path: '/*',
};

function refusalOf(
  { code, what, path, limit }: contentValidity.Violation,
  direction: MessageDirection,
): Refusal {
  const isOfReply = code === 'SCHEMA_INVALID' && direction === 'reply';
  return new Refusal(isOfReply ? 'UPSTREAM_SCHEMA_INVALID' : code, what, {
    limit: limit ?? null,
    facts: { path },
  });
}
