import {
  type ASTNode,
  GraphQLError,
  type GraphQLErrorOptions,
  type GraphQLInputType,
  Kind,
  type SourceLocation,
} from 'graphql';
import { InputError, type replyPlans, requestEncoding } from '../codec/index.js';
import { Refusal, type RefusalCode, refusals } from '../core/index.js';
import { soapFaults } from '../soap/index.js';
import { placesOf } from './document-source.js';

/**
 * Makes the error of a field from any failure. Messages are ours or the backend's Fault's; they
 * never hold a value of the client. An error that is no `Refusal` is a bug and is masked.
 */
export function fieldError(caught: unknown, place: ErrorPlace): GraphQLError {
  if (caught instanceof soapFaults.SoapFaultError) {
    const { string } = caught.fault;
    const soap = soapOf(caught);
    return codedError(
      'SOAP_FAULT',
      place,
      string === '' ? refusals.kindOf('SOAP_FAULT').text : string,
      {
        soap,
      },
    );
  }
  if (caught instanceof InputError) {
    const described = [caught, ...caught.further].map(describeInput);
    const message = [
      refusals.kindOf('BAD_USER_INPUT').text,
      ...described.map(({ text }) => text),
    ].join(' ');
    const [argument = [], ...further] = described.map(({ path }) => path);
    return codedError(
      'BAD_USER_INPUT',
      place,
      message,
      further.length === 0 ? { argument } : { argument, further },
    );
  }
  return caught instanceof Refusal
    ? codedError(caught.code, place, publicText(caught))
    : codedError('INTERNAL', place);
}

function describeInput({ path, rule }: InputError): {
  readonly path: InputError['path'];
  readonly text: string;
} {
  const argument = path[0] === 'arguments' ? path.slice(1) : path;
  return {
    path: argument,
    text: `${argument.length === 0 ? 'Of the arguments' : `${requestEncoding.printErrorPath(argument)}:`} ${rule}.`,
  };
}

/**
 * Removes what reveals the schema from an error, for clients that may not know it. Rules and paths
 * reveal it, so of both only an argument that the document has remains.
 */
export function closedError(error: GraphQLError): GraphQLError {
  const { nodes, path, extensions } = error;
  const argumentPath = extensions['argument'];
  if (extensions['code'] !== 'BAD_USER_INPUT' || !Array.isArray(argumentPath)) return error;
  const place = {
    ...(nodes === undefined ? {} : { nodes }),
    ...(path === undefined ? {} : { path }),
  };
  const argument = argumentPath
    .slice(0, 1)
    .filter((name) => nodes?.some((node) => hasArgument(node, name)));
  const at = argument.length === 0 ? 'Of the arguments,' : `Of the argument ${argument[0]},`;
  return codedError(
    'BAD_USER_INPUT',
    place,
    `${refusals.kindOf('BAD_USER_INPUT').text} ${at} something is not valid.`,
    {
      argument,
    },
  );
}

const hasArgument = (node: ASTNode, argument: unknown): boolean =>
  node.kind === Kind.FIELD && (node.arguments ?? []).some(({ name }) => name.value === argument);

/** `extensions.soap`: names of SOAP 1.1, and the parts of SOAP 1.2 where the Fault has them. */
function soapOf({
  fault,
  particulars,
}: soapFaults.SoapFaultError): Readonly<Record<string, unknown>> {
  const { code, subcode, string, actor } = fault;
  const { subcodes, reasons, node, typedDetail } = particulars;
  const detail = typedDetail === null ? fault.detail : { ...fault.detail, ...typedDetail };
  return {
    code,
    ...(subcode === null ? {} : { subcode, subcodes }),
    string,
    ...(reasons.length === 0 ? {} : { reasons: reasons.map(reasonOf), role: actor, node }),
    actor,
    detail,
  };
}

const reasonOf = ({
  text,
  language,
}: soapFaults.FaultReason): { readonly lang: string | null; readonly text: string } => ({
  lang: language,
  text,
});

/** The place of an error in the document and in the response. */
export interface ErrorPlace {
  readonly nodes?: readonly ASTNode[];
  /** For an error without nodes. */
  readonly locations?: readonly SourceLocation[];
  readonly path?: readonly (string | number)[];
}

/** An error with the public text of its code, or `message` instead. */
export function codedError(
  code: RefusalCode,
  place: ErrorPlace = {},
  message: string = refusals.kindOf(code).text,
  extensions: Readonly<Record<string, unknown>> = {},
): GraphQLError {
  return errorAt(message, place, { code, ...extensions });
}

/** An error with its locations, which graphql-js cannot find in a closed source. */
function errorAt(
  message: string,
  { nodes, path, ...place }: ErrorPlace,
  extensions: Readonly<Record<string, unknown>>,
): GraphQLError {
  const options: GraphQLErrorOptions = { nodes: nodes ?? null, path: path ?? null, extensions };
  const error = new GraphQLError(message, options);
  const locations = place.locations ?? (nodes && placesOf(nodes));
  return locations === undefined
    ? error
    : Object.defineProperty(error, 'locations', { value: locations, enumerable: true });
}

/** The error of a part of a reply that is null in the data. `place.path` leads to the field. */
export function decodeError(error: replyPlans.DecodeError, place: ErrorPlace): GraphQLError {
  const path = [...(place.path ?? []), ...error.path];
  if (error.code === 'FORBIDDEN') {
    return codedError('FORBIDDEN', { ...place, path }, FORBIDDEN_FIELD);
  }
  return codedError(
    error.code,
    { ...place, path },
    error.message ?? `${refusals.kindOf(error.code).text} (${error.rule})`,
    error.upstream === undefined ? {} : { upstream: error.upstream },
  );
}

const FORBIDDEN_FIELD = 'The client may not read this field.';

/** The text of the marker that ends a list of errors that was cut. */
export const MORE_ERRORS = 'There are more errors than are listed.';

const MORE_ERRORS_CODE = 'TOO_MANY_ERRORS';

/** The last of a list that was cut. */
export const tooManyErrors = (): GraphQLError =>
  new GraphQLError(MORE_ERRORS, { extensions: { code: MORE_ERRORS_CODE } });

/**
 * The errors of an answer without the marker that ends a cut list, which is none of them, and
 * whether it was there.
 */
export function withoutMarker(all: readonly GraphQLError[]): {
  readonly errors: readonly GraphQLError[];
  readonly areCut: boolean;
} {
  const last = all.at(-1);
  const areCut = last?.path === undefined && last?.extensions['code'] === MORE_ERRORS_CODE;
  return { errors: areCut ? all.slice(0, -1) : all, areCut };
}

/** The first errors of a list, and one that announces others. */
export const listed = (
  errors: readonly GraphQLError[],
  max: number,
  further = 0,
): readonly GraphQLError[] =>
  errors.length + further > max ? [...errors.slice(0, max), tooManyErrors()] : errors;

/** An argument without a valid value. */
export interface InputProblem {
  /** The path below the arguments. */
  readonly path: readonly (string | number)[];
  /** The rule in words, for callers who may know the schema; never the value. */
  readonly rule: string;
  /** The type that is expected; null where something else than the type is wrong. */
  readonly expected: GraphQLInputType | null;
}

/**
 * A request that is refused with several errors at places in its document. Nothing was executed.
 */
export class DocumentRefusal extends Refusal {
  readonly errors: readonly GraphQLError[];
  /** Errors of the variables; [] where something else is wrong. */
  readonly problems: readonly InputProblem[];
  /** The refusal for clients that may not know the schema; null where this one reveals nothing. */
  readonly closed: DocumentRefusal | null;

  constructor(
    code: RefusalCode,
    errors: readonly GraphQLError[],
    options: Pick<refusals.RefusalOptions, 'found' | 'limit'> & {
      readonly problems?: readonly InputProblem[];
    } = {},
    closed: DocumentRefusal | null = null,
  ) {
    super(code, null, { found: errors[0]?.message ?? null, ...options });
    this.closed = closed;
    this.problems = options.problems ?? [];
    this.name = 'DocumentRefusal';
    this.errors = errors;
  }
}

/** A refusal with one error. */
export const documentRefusal = (
  code: RefusalCode,
  message: string,
  place: ErrorPlace = {},
): DocumentRefusal => new DocumentRefusal(code, [codedError(code, place, message)]);

/** The errors of a request of which nothing was executed. */
export const refusalErrors = (refusal: Refusal, id?: string): readonly GraphQLError[] =>
  refusal instanceof DocumentRefusal
    ? withId(refusal.errors, id)
    : [codedError(refusal.code, {}, publicText(refusal), id === undefined ? {} : { id })];

/** The errors with `extensions.id`, the id of the request in log lines; unchanged without one. */
export const withId = (
  errors: readonly GraphQLError[],
  id: string | undefined,
): readonly GraphQLError[] =>
  id === undefined ? errors : errors.map((error) => identified(error, id));

/** Copies the error; the copy is at other nodes of the document. */
export const withNodes = (
  { message, path, extensions }: GraphQLError,
  nodes: readonly ASTNode[],
): GraphQLError => errorAt(message, { nodes, ...(path === undefined ? {} : { path }) }, extensions);

function identified(
  { message, nodes, path, locations, extensions }: GraphQLError,
  id: string,
): GraphQLError {
  const place = {
    ...(nodes === undefined ? {} : { nodes }),
    ...(path === undefined ? {} : { path }),
    ...(locations === undefined ? {} : { locations }),
  };
  return errorAt(message, place, { ...extensions, id });
}

/** The detail of a `BAD_REQUEST` is public: it describes the parameters without their values. */
const publicText = ({ code, message, detail }: Refusal): string =>
  code === 'BAD_REQUEST' && detail !== null ? `${message} ${detail}` : message;
