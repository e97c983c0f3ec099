/**
 * WS-Security as web streams: `import { signMessage, verifyStream } from 'soapstone/security'`.
 * Each stream is for one message, with the rules that a service of a configuration has.
 */
export { ConfigurationError, type Diagnostic } from '../core/index.js';
export type { MakeKeys, VerifyKeys } from './configuration-keys.js';
export { MessageError } from './security/message-error.js';
export type { MessageOptions } from './security/message-options.js';
export {
  type SigningOptions,
  type SigningStream,
  signingStream as signMessage,
} from './security/signing-stream.js';
export {
  type SenderAssertion,
  type VerifiedSender,
  type VerifyingStream,
  verifyStream,
} from './security/verify-stream.js';
