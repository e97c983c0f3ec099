import { inputFiles, type Steps, type scopeRules, spelling } from '../../../core/index.js';
import {
  distinctName,
  type ElementDeclaration,
  type Operation,
  type XsdType,
} from '../../../wsdl/index.js';
import type { BlockMappings, RequestMapping } from '../input/block-mapping.js';
import type { FaultStyle } from '../output/faults.js';
import type { FieldCost } from '../types/cost-rules.js';
import type { TypeMappings } from '../types/mapping.js';
import type { ChoiceStyle } from '../types/members.js';
import { fieldName, NameScope, type Naming, pascalName, toAscii } from '../types/naming.js';
import type { PagesMapping } from '../types/paging.js';
import type { TypeNames } from '../types/type-names.js';
import {
  CONJUNCTIONS,
  NEUTRAL_FIRST,
  NEUTRAL_LAST,
  PREPOSITIONS,
  READING,
  READING_FIRST,
  READING_LAST,
  READING_ONLY_FIRST,
  READING_OPEN,
  READING_REQUESTS,
  READING_WITHOUT_ANSWER,
  TAKEN_IN_TURN,
  WRITING,
  WRITING_BEHIND,
  WRITING_FIRST,
  WRITING_NOUNS,
  WRITING_PAIRS,
} from './operation-verbs.js';
import { sharedSuffix } from './shared-suffix.js';

/** One service as the schema sees it. */
export interface GraphqlService {
  readonly name: string;
  /** The operations of the port in use. */
  readonly operations: readonly Operation[];
  /**
   * Maps operations by name. When any entry names a field, only operations with an entry are
   * offered.
   */
  readonly mapping: ReadonlyMap<string, OperationMapping>;
  readonly naming: Naming;
  /** Absent: each branch of a choice is a field. */
  readonly choices?: ChoiceStyle;
  /** Whether replies may leave out what the schema document requires; null or absent: by rule. */
  readonly nullable?: boolean | null;
  /**
   * Operations whose replies may leave out what is required, with all types that they reach;
   * absent: none.
   */
  readonly nullableReplies?: readonly Operation[];
  /** The mapping of single types. */
  readonly types?: TypeMappings;
  /** Every named type of the service, for `types` to be checked. */
  readonly knownTypes?: readonly XsdType[];
  /** Every global element of the service: types without a name have its name. */
  readonly elements?: readonly ElementDeclaration[];
  /**
   * The first service of the same WSDL, whose types this one uses; absent, or itself: it has its
   * own.
   */
  readonly typesOf?: string;
  /**
   * Points for a call whose operation has no cost of its own; null or absent: the general cost of
   * calls.
   */
  readonly callCost?: number | null;
  /** Patterns of names of operations that read, whatever their words say; absent: none. */
  readonly reads?: readonly string[];
  /** Header blocks of all its operations; absent: none. */
  readonly blocks?: BlockMappings;
  /**
   * Elements of its replies may stand for others, although the WSDL does not say so; absent: they
   * may not.
   */
  readonly hasReferences?: boolean;
  /** Header blocks of its replies that callers may select; absent: none. */
  readonly replyHeaders?: ReplyHeaders;
  /** What callers of an operation must have; absent: nothing. */
  requirementOf?(operation: Operation): scopeRules.Requirement | null;
}

export interface OperationMapping {
  /** Null: parent and name follow from the operation's name. */
  readonly field: { readonly parent: RootType; readonly name: string } | null;
  readonly hidden: boolean;
  /** Null or absent: that of the operation. */
  readonly description?: string | null;
  /** The reason; null or absent: not deprecated. */
  readonly deprecated?: string | null;
  /** How callers meet its declared Faults; absent: as errors. */
  readonly faults?: FaultStyle;
  /** Header blocks of its replies that callers may select; null or absent: as its service. */
  readonly replyHeaders?: ReplyHeaders | null;
  /** The mapping of its arguments and header blocks. */
  readonly request?: RequestMapping | null;
  /**
   * The cost of a call, and the length of its list; null or absent: those of calls and lists in
   * general.
   */
  readonly cost?: FieldCost | null;
  /** Null or absent: one call answers. */
  readonly pages?: PagesMapping | null;
}

/**
 * The header blocks of replies that callers may select: `true` for those that the WSDL declares, or
 * names of blocks.
 */
export type ReplyHeaders = boolean | readonly string[];

export type RootType = 'Query' | 'Mutation';

/** An operation that the schema has a use for. */
interface Exposure {
  readonly operation: Operation;
  readonly mapping: OperationMapping | null;
  readonly parent: RootType;
  /** It is a field of its root type; else only links lead to it. */
  readonly isOffered: boolean;
  /** The name of its field; '' where the operation is not offered. */
  readonly name: string;
}

/** A service with the operations that the schema has a use for. */
export interface Exposed {
  readonly service: GraphqlService;
  readonly exposures: readonly Exposure[];
}

/**
 * The operations of each service that the schema has a use for; `linked` are those that links lead
 * to.
 */
export function* exposures(
  services: readonly GraphqlService[],
  names: TypeNames,
  linked: ReadonlySet<string>,
): Steps<readonly Exposed[]> {
  const exposed: { readonly service: GraphqlService; readonly unnamed: readonly Unnamed[] }[] = [];
  for (const service of services) {
    exposed.push({ service, unnamed: unnamedOf(service, names, linked) });
    yield;
  }
  const chosen = new Map<Unnamed, string>();
  const scopes = { Query: new NameScope(), Mutation: new NameScope() };
  const owners = new Map<string, Owner>();
  for (const { service, unnamed } of exposed) {
    for (const each of unnamed) {
      takeMapped(service, each, { names, scopes, owners, chosen });
    }
  }
  for (const { service, unnamed } of exposed) {
    yield;
    const suffix = service.naming === 'camel' ? sharedSuffix(service.operations) : '';
    for (const each of unnamed) {
      if (!each.isOffered || chosen.has(each)) continue;
      const { operation, parent } = each;
      const written = distinctName(operation);
      const wanted = fieldName(written.slice(0, written.length - suffix.length), service.naming);
      const name = scopes[parent].take(
        wanted,
        `${fieldName(service.name, 'camel')}${pascalName(wanted)}`,
      );
      chosen.set(each, name);
      if (name === wanted) continue;
      const what = `operation ${operation.name} is ${parent}.${name}, as ${wanted} is taken.`;
      names.of(service.name).warn(what, 'Give it a field of its own in the mapping.');
    }
  }
  return exposed.map(({ service, unnamed }) => ({
    service,
    exposures: unnamed.map((each) => ({ ...each, name: chosen.get(each) ?? '' })),
  }));
}

type Unnamed = Omit<Exposure, 'name'>;

interface Owner {
  readonly service: string;
  readonly operation: string;
}

interface NamingSoFar {
  readonly names: TypeNames;
  readonly scopes: Readonly<Record<RootType, NameScope>>;
  readonly owners: Map<string, Owner>;
  readonly chosen: Map<Unnamed, string>;
}

/** The names of the operations that are fields of a service. */
export function offeredBy({ operations, mapping }: GraphqlService): ReadonlySet<string> {
  const isSelective = [...mapping.values()].some((entry) => entry.field !== null && !entry.hidden);
  const isOffered = (name: string): boolean => {
    const entry = mapping.get(name) ?? null;
    return entry?.hidden !== true && !(isSelective && entry === null);
  };
  return new Set(operations.map(({ name }) => name).filter(isOffered));
}

const READS_REMEDY =
  'Write the name of an operation as the WSDL has it, or a pattern such as Export*.';

function unnamedOf(
  service: GraphqlService,
  names: TypeNames,
  linked: ReadonlySet<string>,
): readonly Unnamed[] {
  const offered = offeredBy(service);
  for (const pattern of service.reads ?? []) {
    if (service.operations.some(({ name }) => inputFiles.matchesName(name, pattern))) continue;
    const what = `\`reads\` names no operation of service ${service.name}: ${pattern}.`;
    const known = service.operations.map(({ name }) => name);
    names
      .of(service.name)
      .refuse(['reads'], what, spelling.didYouMean(pattern, known) ?? READS_REMEDY);
  }
  const isQuery = (operation: Operation, patterns: readonly string[]): boolean => {
    const name = distinctName(operation);
    if (patterns.some((pattern) => inputFiles.matchesName(operation.name, pattern))) return true;
    return isReading(name) && !(answersNothing(operation) && !isCheck(name));
  };
  return service.operations.flatMap((operation): Unnamed[] => {
    const entry = service.mapping.get(operation.name) ?? null;
    const isOffered = offered.has(operation.name);
    if (!isOffered && !linked.has(`${service.name}.${operation.name}`)) return [];
    if (operation.status === 'disabled') {
      const why = operation.reasons.map((reason) => reason.what).join(' ');
      names
        .of(service.name)
        .warn(`operation ${operation.name} is not offered in GraphQL. ${why}`.trim());
      return [];
    }
    const parent =
      entry?.field?.parent ?? (isQuery(operation, service.reads ?? []) ? 'Query' : 'Mutation');
    return [{ operation, mapping: entry, parent, isOffered }];
  });
}

/**
 * Takes the names of the mapping first, exactly: two equal ones are an error, reported at both
 * places.
 */
function takeMapped(
  service: GraphqlService,
  each: Unnamed,
  { names, scopes, owners, chosen }: NamingSoFar,
): void {
  const { operation, mapping, parent } = each;
  const wanted = mapping?.field?.name;
  if (wanted === undefined || !each.isOffered) return;
  const key = `${parent}.${wanted}`;
  const owner = owners.get(key);
  chosen.set(each, scopes[parent].take(wanted));
  if (owner === undefined) {
    owners.set(key, { service: service.name, operation: operation.name });
    return;
  }
  const here = { service: service.name, operation: operation.name };
  for (const [one, other] of [[owner, here] as const, [here, owner] as const]) {
    const what =
      `${key} is also the field of operation ${other.operation} of service ` + `${other.service}.`;
    names
      .of(one.service)
      .refuse(['operations', one.operation, 'field'], what, 'Give each a field of its own.');
  }
}

/** Whether nothing in a name says what the operation does: it is a mutation, since it may write. */
export const isDoubtful = (operationName: string): boolean =>
  !isReading(operationName) &&
  !wordsOf(operationName.slice(0, NAME_CHARS)).some(
    ({ text }) => writes(text) || WRITING_FIRST.has(text) || WRITING_BEHIND.has(text),
  );

/** Whether a reply has neither content nor header blocks. */
function answersNothing({ output }: Operation): boolean {
  if (output === null) return true;
  const { body, several, headers, attachments = [] } = output;
  if (several !== undefined || headers.length + attachments.length > 0) return false;
  if (body === null) return true;
  const { type } = body;
  return type.kind === 'complex' && type.content.kind === 'empty' && type.attributes.length === 0;
}

/** Whether an operation reads although it answers nothing: what it tells is that it succeeds. */
const isCheck = (name: string): boolean =>
  wordsOf(name.slice(0, NAME_CHARS)).some(({ text }) => READING_WITHOUT_ANSWER.has(text));

interface Word {
  readonly text: string;
  /** It begins the name, or a part of it behind a separator: `PNR_Retrieve`, `Order.Get`. */
  readonly begins: boolean;
}

/**
 * True if an operation reads, by the words of its name: then it is a query, else a mutation. The
 * first verb from the left decides; the tables of `operation-verbs.ts` list where a word is one.
 * More than 256 characters are not read.
 */
export function isReading(operationName: string): boolean {
  const written = wordsOf(operationName.slice(0, NAME_CHARS));
  const words = withoutAffixes(written);
  const isPair = ({ text }: Word, at: number): boolean =>
    WRITING_PAIRS.has(`${text} ${words[at + 1]?.text ?? ''}`);
  if (words.some(isPair) || takesInTurn(words)) return false;
  for (const [at, { text, begins }] of words.entries()) {
    if (writes(text) || (at === 0 && WRITING_FIRST.has(text))) {
      if (at === 0 && isEntity(words)) continue;
      return false;
    }
    if (READING.has(text) || (at === 0 && READING_FIRST.has(text))) {
      return !goesOnWriting(words, at);
    }
    const isVerb = begins && READING_OPEN.has(text) && (at === 0 || !READING_ONLY_FIRST.has(text));
    if (!isVerb && !(READING_LAST.has(text) && isLast(words, at))) continue;
    return !words.some((_word, other) => writesAt(words, other)) && !goesOnWriting(words, at);
  }
  const isRequest =
    written.at(-1)?.text === 'req' && READING_REQUESTS.has(words.at(-1)?.text ?? '');
  return isRequest && !words.some(({ text }) => writes(text) || WRITING_FIRST.has(text));
}

const NAME_CHARS = 256;

/** `ize` and `ify` make verbs: a name may have one that no table knows. */
const writes = (text: string): boolean => WRITING.has(text) || /.{4}ize$|.{2}ify$/.test(text);

/** Whether a word writes where it stands: behind `list` another word may make it a noun. */
const writesAt = (words: readonly Word[], at: number): boolean => {
  const { text = '' } = words[at] ?? {};
  if (!writes(text)) return false;
  const isNoun =
    WRITING_NOUNS.has(text) && words[0]?.text === 'list' && words[at - 1]?.text === 'list';
  return !isNoun || at === words.length - 1 || words[at]?.begins === true;
};

const takesInTurn = (words: readonly Word[]): boolean =>
  TAKEN_IN_TURN.has(words.at(-1)?.text ?? '') && words.some(({ text }) => text === 'next');

/** Whether only the end of the name, or a preposition, stands behind a word. */
function isLast(words: readonly Word[], at: number): boolean {
  const behind = words[at + 1]?.text;
  return behind === undefined || PREPOSITIONS.has(behind);
}

/**
 * Whether the first word is the thing that the rest of the name is about: `Process_GetList`,
 * `Charge_Get`.
 */
const isEntity = ([, verb, object]: readonly Word[]): boolean =>
  verb?.begins === true && READING.has(verb.text) && object?.begins !== true;

/** Whether a verb that may write stands behind the reading one at `from`. */
const goesOnWriting = (words: readonly Word[], from: number): boolean =>
  words.some(({ text, begins }, at) => {
    if (at <= from) return false;
    if (CONJUNCTIONS.has(words[at - 1]?.text ?? '')) {
      // Directly behind a verb a conjunction joins verbs (`GetAndLock`), later maybe nouns
      // (`GetTermsAndConditions`).
      return at === from + 2
        ? !isReadingVerb(text)
        : writes(text) || WRITING_FIRST.has(text) || WRITING_BEHIND.has(text);
    }
    // The first word may be an abbreviation: `IS_UpdateOrder`, but `is_open`.
    return (
      begins &&
      from === 0 &&
      READING_FIRST.has(words[0]?.text ?? '') &&
      at < words.length - 1 &&
      writes(text)
    );
  });

const isReadingVerb = (text: string): boolean =>
  [READING, READING_FIRST, READING_OPEN, READING_LAST].some((verbs) => verbs.has(text));

/** The words of a name in lower case: a capital, a digit or a separator begins another. */
const wordsOf = (name: string): readonly Word[] =>
  toAscii(name.slice(0, NAME_CHARS))
    .split(/[^A-Za-z0-9]+/)
    .flatMap((part) =>
      [...part.matchAll(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g)].map(([text], at) => ({
        text: text.toLowerCase(),
        begins: at === 0,
      })),
    );

/** Leaves one word at least. */
function withoutAffixes(words: readonly Word[]): readonly Word[] {
  let start = 0;
  let end = words.length;
  const isNeutral = (at: number, neutral: ReadonlySet<string>): boolean => {
    const text = words[at]?.text ?? '';
    return neutral.has(text) || /^(?:[a-z]|[0-9]+)$/.test(text);
  };
  while (start < end - 1 && isNeutral(start, NEUTRAL_FIRST)) {
    start += 1;
  }
  while (start < end - 1 && isNeutral(end - 1, NEUTRAL_LAST)) {
    end -= 1;
  }
  return words.slice(start, end).map((word, at) => (at === 0 ? { ...word, begins: true } : word));
}
