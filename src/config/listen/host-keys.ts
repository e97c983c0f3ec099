import { HTTP_URL } from '../keys/formats.js';
import { list, string, text } from '../keys/key-types.js';

const hostNames = (description: string) =>
  list(
    string({
      pattern: '^[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$',
      hint: 'Write a host name without a port, such as soapstone.monitoring.svc.',
    }),
    description,
    { maxItems: 64, uniqueItems: true, default: [] },
  );

/** The names by which operators reach the gateway. */
export const ADMIN_HOSTS = hostNames(
  'Host names by which operators reach `admin`, besides IP addresses, localhost and the host ' +
    'of `admin`. Requests that name another are refused with 421, except `/live` and `/ready`.',
);

/** The names by which callers reach the gateway. */
export const HOSTS = hostNames(
  'Host names by which callers reach `listen`, besides IP addresses, localhost, the host of ' +
    '`listen` and that of `publicUrl`. Requests that name another are refused with 421. ' +
    'Without it GraphQL alone does so, and only where `publicUrl` is set.',
);

/** The address at which callers reach the gateway. */
export const PUBLIC_URL = text(
  'Address at which callers reach the gateway, for the WSDLs it serves; else the Host they named.',
  HTTP_URL,
);
