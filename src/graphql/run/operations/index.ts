/** The life of an operation, its errors, and its form over HTTP. */

export { codedError, fieldError, MORE_ERRORS, refusalErrors, withId } from '../../errors.js';
export {
  CARRIED,
  createGraphqlHandler,
  type GraphqlHandler,
  type ItemHost,
  type RequestHost,
  type StreamCarrier,
} from './http.js';
export {
  AdmittedOperation,
  admitOperation,
  ChargedOperation,
  type Operations,
  operationsOf,
  refuseOperation,
} from './operation.js';
