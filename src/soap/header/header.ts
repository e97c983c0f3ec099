import { Refusal, type RefusalCode } from '../../core/index.js';
import { expandedName, type QName, type StartTag } from '../../xml/index.js';
import { DIALECTS, type Dialect, type DialectName } from '../dialect.js';

/**
 * The gateway's names on the message path, and the blocks understood there and by the service
 * behind.
 */
export interface HeaderRules {
  /** Targets (actor, role) besides the standard `next` that mean the gateway itself. */
  readonly ownTargets: ReadonlySet<string>;
  /**
   * Names `{uri}local` of the blocks the gateway removes, besides the kinds of its own table
   * (`header-blocks.ts`).
   */
  readonly understoodByGateway: ReadonlySet<string>;
  /**
   * Names `{uri}local` of the blocks that the service understands; null when they are not
   * configured: then its blocks pass and it decides for itself.
   */
  readonly understoodByService: ReadonlySet<string> | null;
  /**
   * Names `{uri}local` of the blocks for the final receiver that are taken out: those of callers
   * that the gateway writes itself, those of replies that it has verified. Absent where there are
   * none.
   */
  readonly replaced?: ReadonlySet<string>;
  /** False for replies: their final receiver is the caller, and nothing is removed. */
  readonly enforce: boolean;
  /**
   * WS-Addressing blocks come once at most, and blocks for other receivers are checked too. False
   * for replies.
   */
  readonly checksAddressing: boolean;
}

/** Bounds of what is read of a Header. */
export interface HeaderBounds {
  readonly headerBlocksMax: number;
  /** Ids of one message. */
  readonly idsMax: number;
  /** Whether the times and nonces of Security blocks are read. */
  readonly readsSecurity: boolean;
}

/** The rules for the messages of one direction of one service. Made at start-up. */
export interface EnvelopeRules extends HeaderBounds {
  readonly dialects: ReadonlySet<DialectName>;
  readonly header: HeaderRules;
  /**
   * Further children of Body are tolerated when they carry an `id`: multi-ref elements of encoded
   * services, SOAP 1.1 section 5. Literal services allow one child (WS-I Basic Profile R2201),
   * unless an operation declares several.
   */
  readonly multiRef: boolean;
  /** Members an array may announce; null where arrays of the encodings are not looked for. */
  readonly arrayItemsMax: number | null;
}

/**
 * The `MUST_UNDERSTAND` refusal, with the names SOAP 1.2 part 1 section 5.4.8 wants the answer to
 * give.
 */
export class NotUnderstood extends Refusal {
  readonly names: readonly QName[];

  constructor(names: readonly QName[]) {
    super('MUST_UNDERSTAND', 'header block', {
      found: names.map(expandedName).join(' '),
      facts: { elements: names },
    });
    this.name = 'NotUnderstood';
    this.names = names;
  }
}

/** The refusal of an element that is not what its place allows. */
export const elementRefusal = (
  code: RefusalCode,
  tag: QName,
  expected: readonly string[] = [],
): Refusal =>
  new Refusal(code, null, {
    found: expandedName(tag),
    facts: { elements: [nameOf(tag)], expected },
  });

/** `tag` is that of the element which breaks the rule; null where none does. */
export const structureRefusal = (rule: string, tag: QName | null = null): Refusal =>
  new Refusal(
    'SOAP_STRUCTURE',
    rule,
    tag === null ? undefined : { facts: { elements: [nameOf(tag)] } },
  );

/** The names of the envelopes that these rules expect. */
export const envelopesOf = ({ dialects }: EnvelopeRules): readonly string[] =>
  [...dialects].map((name) => `{${DIALECTS[name].envelopeUri}}Envelope`);

/** A start tag is lent, and changes. */
const nameOf = ({ uri, local }: QName): QName => ({ uri, local });

/**
 * The receiver of a header block. `service` is the final receiver, `none` the role of that name.
 */
export type BlockTarget = 'gateway' | 'service' | 'none' | 'other';

/** The action of the gateway on a header block. */
export type BlockAction = 'pass' | 'remove' | 'not understood';

/** Finds the receiver of a header block: SOAP 1.1 section 4.2.2, SOAP 1.2 part 1 section 2.2. */
export function headerTarget(tag: StartTag, dialect: Dialect, rules: HeaderRules): BlockTarget {
  if (tag.attributeCount === 0) return 'service';
  const named = tag.attribute(dialect.envelopeUri, dialect.targetAttribute)?.trim() ?? '';
  if (named === '' || named === dialect.ultimateTarget) return 'service';
  if (named === dialect.noneTarget) return 'none';
  return dialect.nextTargets.includes(named) || rules.ownTargets.has(named) ? 'gateway' : 'other';
}

/**
 * Decides on one header block: SOAP 1.1 section 4.2, SOAP 1.2 part 1 sections 2.7 and 5.2. Throws
 * `SOAP_STRUCTURE` for values its attributes cannot have.
 */
export function decideBlock(
  tag: StartTag,
  dialect: Dialect,
  rules: HeaderRules,
  target: BlockTarget,
  isRemoved: boolean,
): BlockAction {
  const isReplaced = target === 'service' && rules.replaced?.has(expandedName(tag)) === true;
  if (tag.attributeCount === 0) return isReplaced ? 'remove' : 'pass';
  // Nothing depends on it in a reply: old stacks write `true` in 1.1, which callers read.
  if (!rules.enforce) return isReplaced ? 'remove' : 'pass';
  const must = flagOf(tag, dialect, 'mustUnderstand');
  const relay = dialect.hasRelay && flagOf(tag, dialect, 'relay');
  if (isReplaced) return 'remove';
  const name = expandedName(tag);
  if (target === 'service') {
    const known = rules.understoodByService;
    return must && known !== null && !known.has(name) ? 'not understood' : 'pass';
  }
  if (target !== 'gateway') return 'pass';
  if (isRemoved || rules.understoodByGateway.has(name)) return 'remove';
  if (must) return 'not understood';
  return relay ? 'pass' : 'remove';
}

/** A yes or no among the attributes of the envelope's namespace. */
function flagOf(tag: StartTag, dialect: Dialect, local: 'mustUnderstand' | 'relay'): boolean {
  const written = tag.attribute(dialect.envelopeUri, local);
  if (written === null) return false;
  const value = written.trim();
  if (dialect.mustUnderstandTrue.includes(value)) return true;
  if (dialect.mustUnderstandFalse.includes(value)) return false;
  throw structureRefusal(`a value that ${local} cannot have`, tag);
}
