/** The gateway as a library: `import { startGateway } from 'soapstone'`. */
export { ConfigurationError, type Diagnostic } from '../core/index.js';
export {
  type GatewayConfiguration,
  type StartedGateway,
  type StartGatewayOptions,
  startGateway,
} from './gateway.js';
