/** The only file that knows undici. */
export { buildConnector, Client } from 'undici';
