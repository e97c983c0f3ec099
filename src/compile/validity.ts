import { type Exchange, VIOLATIONS_MAX } from '../base/exchange.js';
import type { Problem } from '../base/problem.js';
import { Refusal } from '../base/refusal.js';
import { FramePool } from '../codec/validity/frame-pool.js';
import type { ValidityLimits } from '../codec/validity/limits.js';
import { SchemaRules } from '../codec/validity/rules.js';
import { ContentValidator, type ValidatorOptions } from '../codec/validity/validator.js';
import type { Violation } from '../codec/validity/violation.js';
import type { LoadedConfig } from '../config/load.js';
import type { ServiceConfig } from '../config/schema.js';
import type { ValidationLevel } from '../config/validation-keys.js';
import { InvalidContent } from '../soap/invalid-content.js';
import { childrenOfBody, type Operation, type Payload, typeKey, type WsdlModel } from '../wsdl/model.js';
import type { StartTag } from '../xml/events.js';
import { problemAt } from './problem-at.js';

type Direction = 'request' | 'reply';

interface ValidityOptions {
  readonly requests: ValidationLevel;
  readonly replies: ValidationLevel;
  readonly limits: ValidityLimits & { readonly textChars: number };
}

/** Null where the configuration asks for nothing, and without a WSDL. */
export function validityOf(
  loaded: LoadedConfig,
  name: string,
  model: WsdlModel | null,
  operations: readonly Operation[],
): Validity | null {
  const { validate, mode, limits } = loaded.config.services[name] as ServiceConfig;
  if (model === null || (validate.requests === 'off' && validate.replies === 'off')) return null;
  const most = (level: ValidationLevel): ValidationLevel =>
    mode === 'monitor' && level === 'enforce' ? 'report' : level;
  return new Validity(name, model, operations, {
    requests: most(validate.requests),
    replies: most(validate.replies),
    limits: { ...loaded.config.limits.validity, textChars: limits.xml.textBytes },
  });
}

/** Where more is asked for than can be done. */
export function noticesOfValidity(
  loaded: LoadedConfig,
  service: string,
  validity: Validity | null,
): readonly Problem[] {
  const isEnforced = validity !== null && (validity.requests === 'enforce' || validity.replies === 'enforce');
  if (!isEnforced || validity.unvalidated.length === 0) return [];
  const names = validity.unvalidated.map((name) => `\`${name}\``).join(', ');
  const what = `Operations ${names} share the first element of Body, but not what it holds: they are not validated.`;
  return [problemAt(loaded, ['services', service, 'validate'], what, 'Let the backend judge them.')];
}

/** Validates the Bodies of one service against its WSDL, as far as the configuration asks for it. */
export class Validity {
  readonly requests: ValidationLevel;
  readonly replies: ValidationLevel;
  readonly #service: string;
  readonly #schema: SchemaRules;
  readonly #frames = new FramePool();
  readonly #thorough: ValidatorOptions;
  readonly #quick: ValidatorOptions;
  /** Operations whose messages are not to be told from those of others, or not by a schema. */
  readonly #ambiguous: ReadonlySet<Operation>;

  constructor(service: string, model: WsdlModel, operations: readonly Operation[], options: ValidityOptions) {
    this.requests = options.requests;
    this.replies = options.replies;
    this.#service = service;
    this.#schema = new SchemaRules(model);
    this.#thorough = { ...options.limits, isThorough: true };
    this.#quick = { ...options.limits, isThorough: false };
    const ports = model.services.flatMap((each) => each.ports.map((port) => port.operations));
    this.#ambiguous = new Set([operations, ...ports].flatMap(ambiguousIn));
  }

  /** Names of operations that are not to be told apart in time. */
  get unvalidated(): readonly string[] {
    return [...new Set([...this.#ambiguous].map(({ name }) => name))];
  }

  /** What validates the request that begins with this child of Body; null where none is. */
  request(operation: Operation, exchange: Exchange): ContentValidator | null {
    if (this.requests === 'off') return null;
    return this.#validator(operation, operation.input, 'request', this.requests, exchange);
  }

  /** What validates the reply that begins with this child of Body; null where none is. */
  reply(operation: Operation, tag: StartTag, exchange: Exchange): ContentValidator | null {
    if (this.replies === 'off' || operation.output?.body?.name.local !== tag.local) return null;
    return this.#validator(operation, operation.output, 'reply', this.replies, exchange);
  }

  /** The same for who reads the reply himself: only what is refused for the schema needs to be validated then. */
  enforcedReply(operation: Operation, tag: StartTag, exchange: Exchange): ContentValidator | null {
    return this.replies === 'enforce' ? this.reply(operation, tag, exchange) : null;
  }

  #validator(
    operation: Operation,
    { body, several }: Payload,
    direction: Direction,
    level: ValidationLevel,
    exchange: Exchange,
  ): ContentValidator | null {
    if (body === null || !isLiteral(operation) || this.#ambiguous.has(operation)) return null;
    const sink = (violation: Violation): void => {
      note(exchange, { service: this.#service, operation: operation.name, direction, ...violation });
      if (level === 'enforce') throw refusalOf(violation, direction);
    };
    const options = level === 'enforce' ? this.#thorough : this.#quick;
    return new ContentValidator(
      this.#schema,
      this.#schema.element(several?.whole ?? body),
      sink,
      options,
      this.#frames,
    );
  }
}

/** Encoded messages are made by other rules than the schema's, and of what is disabled no schema is known. */
const isLiteral = ({ use, status }: Operation): boolean => use !== 'encoded' && status !== 'disabled';

function note(exchange: Exchange, violation: NonNullable<Exchange['violations']>[number]): void {
  exchange.violations ??= [];
  if (exchange.violations.length < VIOLATIONS_MAX) exchange.violations.push(violation);
}

function refusalOf({ code, what, path }: Violation, direction: Direction): Refusal {
  if (code !== 'SCHEMA_INVALID') return new Refusal(code, `${path} ${what}`);
  return new InvalidContent(direction === 'request' ? code : 'UPSTREAM_SCHEMA_INVALID', what, path);
}

/** Overloaded operations of a port share the first child of Body, and have other types behind it. */
function ambiguousIn(operations: readonly Operation[]): readonly Operation[] {
  const byRequest = new Map<string, Operation[]>();
  for (const operation of operations) {
    const { body } = operation.input;
    if (body === null) continue;
    const key = typeKey(body.name);
    const same = byRequest.get(key);
    if (same === undefined) byRequest.set(key, [operation]);
    else same.push(operation);
  }
  return [...byRequest.values()]
    .filter((same) => differ(same.map(({ input }) => input)) || differ(same.map(({ output }) => output)))
    .flat();
}

/** Of each the same elements of the same types, one after the other. */
function differ(payloads: readonly (Payload | null)[]): boolean {
  const [first = [], ...others] = payloads.map((payload) => (payload === null ? [] : childrenOfBody(payload)));
  return others.some(
    (children) => children.length !== first.length || children.some((child, at) => child.type !== first[at]?.type),
  );
}
