import { type GraphQLError, getNamedType } from 'graphql';
import { type ReplyReceiver, replyDecoding } from '../../../codec/index.js';
import { asRefusal, Refusal, type RefusalCode, refusals } from '../../../core/index.js';
import { refusalErrors, withoutMarker } from '../../errors.js';
import type { RawVariables } from '../../schema/output/reply-plan.js';
import {
  type AdmittedOperation,
  admitOperation,
  admitOwnOperation,
  type OperationHost,
  type Operations,
  refuseOperation,
} from '../operations/operation.js';
import { readChosenFields, unknownFields } from './chosen-fields.js';
import { namedArguments, toContract } from './contract-values.js';
import type { DescribedOperation } from './described-operation.js';
import {
  asSentence,
  hasUnknownArguments,
  inputProblems,
  type PrintedProblem,
  problemSentence,
} from './input-problems.js';
import { OperationDocuments } from './operation-document.js';

/** A call of one operation by its name. */
export interface DescribedCall {
  readonly described: DescribedOperation;
  /** The arguments by name, as JSON. */
  readonly values: RawVariables;
  /** The fields that are wanted: `id,address/city`; null: the default. */
  readonly fields: string | null;
  /** The gateway has chosen the fields itself; absent: the caller has. */
  readonly isOwn?: boolean;
  /**
   * Gets the items of a list that is the answer, as far as they can be handed out one by one, or
   * binary content; absent: they are kept.
   */
  readonly receiver?: ReplyReceiver | null;
}

export type DescribedOutcome =
  /**
   * `errors` are of parts of the value that are null for them; `areCut`: there are more than these.
   */
  | {
      readonly kind: 'value';
      readonly value: unknown;
      readonly errors: readonly GraphQLError[];
      readonly areCut: boolean;
    }
  /** Nothing was sent to a backend. */
  | {
      readonly kind: 'refused';
      readonly refusal: Refusal;
      readonly detail: string;
      /** Problems of the arguments. */
      readonly problems: readonly PrintedProblem[];
      /** Problems of the list of fields. */
      readonly fieldProblems: readonly string[];
    }
  /** `fault`: of the backend, null for another failure. */
  | {
      readonly kind: 'failed';
      readonly code: RefusalCode;
      readonly detail: string;
      readonly fault: DescribedFault | null;
    };

/** The parts of a Fault as callers of GraphQL get them. */
export interface DescribedFault {
  /** The request is to blame, by the code of the Fault. */
  readonly isOfSender: boolean;
  readonly parts: Readonly<Record<string, unknown>>;
}

type Refused = Extract<DescribedOutcome, { readonly kind: 'refused' }>;

/** Runs operations by their names, each as one operation of GraphQL. */
export class DescribedCalls {
  readonly #operations: Operations;
  readonly #documents: OperationDocuments;

  constructor(operations: Operations) {
    this.#operations = operations;
    this.#documents = new OperationDocuments(operations);
  }

  /** Rejects with `CLIENT_GONE`, or with a bug. */
  async call(
    { described, values: given, fields, isOwn = false, receiver: asked = null }: DescribedCall,
    host: OperationHost,
  ): Promise<DescribedOutcome> {
    const operations = this.#operations;
    const { schema } = operations.built;
    const values = namedArguments(given, described.field.args, schema);
    const contract = toContract(described.field.type, schema);
    const receiver = receiverOf(asked, contract);
    const rights = host.rights ?? null;
    const query = this.#documents.of(described, rights);
    const problems = (): readonly PrintedProblem[] =>
      inputProblems({ described, values, query }, operations, host);
    let admitted: AdmittedOperation | null = null;
    try {
      if (hasUnknownArguments(described, values)) return badInput(problems(), host);
      const known = fields === null ? null : this.#documents.remembered(described, rights, fields);
      const unknown =
        fields === null || known !== null ? [] : this.#unknownFields(described, fields);
      if (unknown.length > 0) return badFields(unknown, host);
      admitted = await this.#admit({ described, values, fields, isOwn }, { query, known }, host);
      const result = await admitted.authorizeAndCharge(host).run(receiver);
      const own = result.data?.[described.field.name] ?? null;
      const value = contract === null ? own : contract(own);
      const { errors, areCut } = withoutMarker(result.errors ?? []);
      const [first] = errors;
      // The rest of a list that is handed out: half of one is no answer.
      const cut =
        receiver === null || value === null
          ? undefined
          : errors.find(({ path = [] }) => path.length <= 1);
      if (cut !== undefined) return failureOf(cut);
      if (value !== null || first === undefined) return { kind: 'value', value, errors, areCut };
      return first.extensions['code'] === 'BAD_USER_INPUT'
        ? badInput(problems(), host)
        : failureOf(first);
    } catch (caught) {
      const found = asRefusal(caught).code === 'BAD_USER_INPUT' ? problems() : [];
      if (found.length > 0) return badInput(found, host);
      const { refusal } = refuseOperation(caught, host, admitted);
      if (refusal.code === 'CLIENT_GONE') throw refusal;
      // The caller has sent no GraphQL: what is wrong stands alone, not behind the text of the
      // code.
      const own = refusal.code === 'BAD_REQUEST' ? refusal.detail : null;
      const detail = own ?? refusalErrors(refusal)[0]?.message ?? refusal.message;
      return { kind: 'refused', refusal, detail, problems: [], fieldProblems: [] };
    }
  }

  /** `query` selects the default; `known` the fields, where their document was written before. */
  #admit(
    { described, values, fields, isOwn = false }: DescribedCall,
    { query, known }: { readonly query: string; readonly known: string | null },
    host: OperationHost,
  ): Promise<AdmittedOperation> {
    const operations = this.#operations;
    if (fields === null) {
      return admitOwnOperation({ query, operationName: null, variables: values }, operations, host);
    }
    const document =
      known ??
      this.#documents.choosing(
        described,
        host.rights ?? null,
        fields,
        readChosenFields(fields, this.#bounds),
      );
    if (isOwn) {
      return admitOwnOperation(
        { query: document, operationName: null, variables: values },
        operations,
        host,
      );
    }
    return admitOperation({ query: document, variables: values }, operations, host);
  }

  #unknownFields({ field }: DescribedOperation, fields: string): readonly string[] {
    const { built, admission } = this.#operations;
    const chosen = readChosenFields(fields, this.#bounds);
    return unknownFields(getNamedType(field.type), chosen, built.schema).map(
      ({ path, nearest }) => {
        const hint =
          nearest === null || !admission.introspection ? '' : `: did you mean \`${nearest}\`?`;
        return `\`${path.join('/')}\` is no field of the answer${hint}`;
      },
    );
  }

  get #bounds(): Parameters<typeof readChosenFields>[1] {
    const { depth, tokens } = this.#operations.limits;
    return { levels: depth, names: tokens };
  }
}

/** Hands items out with values of the contract. */
function receiverOf(
  receiver: ReplyReceiver | null,
  contract: ((value: unknown) => unknown) | null,
): ReplyReceiver | null {
  const items = replyDecoding.receivedItems(receiver);
  if (items === null || contract === null) return receiver;
  return {
    isBounded: items.isBounded,
    item(value) {
      const list = contract([value]);
      items.item(Array.isArray(list) ? list[0] : value);
    },
    flush: () => items.flush(),
  };
}

function badInput(problems: readonly PrintedProblem[], host: OperationHost): Refused {
  const refusal = new Refusal('BAD_USER_INPUT', problems[0] === undefined ? null : 'argument');
  host.refused?.(refusal);
  const [first] = problems;
  const isOne = problems.length === 1 && first !== undefined;
  const detail = isOne ? problemSentence(first, 'It') : 'Arguments have no valid values.';
  return { kind: 'refused', refusal, detail, problems, fieldProblems: [] };
}

function badFields(fieldProblems: readonly string[], host: OperationHost): Refused {
  const refusal = new Refusal('BAD_USER_INPUT', 'fields');
  host.refused?.(refusal);
  return {
    kind: 'refused',
    refusal,
    detail: asSentence(fieldProblems[0] ?? ''),
    problems: [],
    fieldProblems,
  };
}

function failureOf({ message, extensions }: GraphQLError): DescribedOutcome {
  const { code, soap } = extensions;
  const known = refusals.isRefusalCode(code) ? code : 'INTERNAL';
  return {
    kind: 'failed',
    code: known,
    detail: message,
    fault: known === 'SOAP_FAULT' ? faultOf(soap) : null,
  };
}

function faultOf(soap: unknown): DescribedFault {
  const parts =
    typeof soap === 'object' && soap !== null ? Object.fromEntries(Object.entries(soap)) : {};
  return { isOfSender: /^(?:Client|Sender)(?:\.|$)/.test(String(parts['code'])), parts };
}
