import type { QName } from '../../xml/index.js';
import { STANDARD_TARGETS } from '../dialect.js';

/** The namespace of the element in a Fault's detail that carries the refusal code of a gateway. */
export const ERROR_URI = 'urn:soapstone:error';

/**
 * Which of a Fault's detail reaches a caller: all, the entries that the WSDL declares for the
 * operation, or none.
 */
export type FaultDetailPolicy = 'unsafe:pass' | 'declared' | 'none';

/** The policy for one operation. */
export interface DetailRules {
  readonly policy: FaultDetailPolicy;
  /** Names of the declared entries; null where nothing declares any. */
  readonly declared: ReadonlySet<string> | null;
  /**
   * The types of the declared entries have an `ExceptionDetail` of .NET. Absent: they have none.
   */
  readonly declaresExceptions?: boolean;
}

export const FAULT_DETAIL_POLICIES: readonly FaultDetailPolicy[] = [
  'unsafe:pass',
  'declared',
  'none',
];

/**
 * Whether a child of `detail` may be seen. By local name alone: stacks leave the namespace away or
 * write another one; Axis puts the package of the class before it (`inv.BadSku`). What the WSDL
 * declares is no trace, whatever its name.
 */
export function keepsEntry({ policy, declared }: DetailRules, { uri, local }: QName): boolean {
  if (policy === 'unsafe:pass') return true;
  if (policy === 'none') return false;
  if (declared?.has(local) === true) return true;
  // The backend is a gateway as well: its code and id say which of the two has refused, and no
  // more.
  if (uri === ERROR_URI && local === 'error') return true;
  if (isTrace(uri, local)) return false;
  return declared === null || declared.has(local.slice(local.lastIndexOf('.') + 1));
}

/**
 * Whether something deeper in a detail may be seen. A text with stack frames may not, declared or
 * not.
 */
export const keepsInner = (
  { policy, declaresExceptions }: DetailRules,
  { uri, local }: QName,
): boolean =>
  policy === 'unsafe:pass' ||
  (policy === 'declared' &&
    (!isTrace(uri, local) || (declaresExceptions === true && local === EXCEPTION_DETAIL)));

/**
 * Whether callers may see this `faultactor`, `Role` or `Node`. Stacks write the address of the
 * backend there. Names that are no address stay: URNs, and the roles that SOAP itself defines.
 */
export const keepsActor = ({ policy }: DetailRules, uri: string): boolean =>
  policy === 'unsafe:pass' || URN.test(uri) || STANDARD_TARGETS.has(uri);

/** RFC 8141 section 2. */
const URN = /^urn:[a-z0-9]/i;

/** Whether stacks add this entry on their own: a stack trace, or the name of the machine. */
function isTrace(uri: string, local: string): boolean {
  const name = local.toLowerCase();
  return TRACES.has(name) || name.includes('stacktrace') || TRACE_NAMES.has(`{${uri}}${local}`);
}

/** .NET: type, message, stack trace and inner exceptions. */
export const EXCEPTION_DETAIL = 'ExceptionDetail';

const TRACES: ReadonlySet<string> = new Set([
  'stack-trace',
  'stack_trace',
  'backtrace',
  'traceback',
  EXCEPTION_DETAIL.toLowerCase(),
]);

const TRACE_NAMES: ReadonlySet<string> = new Set([
  '{http://xml.apache.org/axis/}hostname',
  '{http://xml.apache.org/axis/}exceptionName',
  // JAX-WS RI: class, message and frames.
  '{http://jax-ws.dev.java.net/}exception',
  '{http://jax-ws.dev.java.net/}frame',
]);
