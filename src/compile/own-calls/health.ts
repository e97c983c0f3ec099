import { within } from '../../config/keys/finding.js';
import type { AnyService, ServiceConfig } from '../../config/schema.js';
import { Refusal } from '../../core/index.js';
import { soapFaults, TextAtPath } from '../../soap/index.js';
import {
  healthChecks,
  type Upstream,
  type UpstreamOptions,
  type UpstreamRequest,
} from '../../upstream/index.js';
import {
  ELEMENTS_ONLY,
  type Interest,
  SKIP,
  type StartTag,
  type XmlHandler,
} from '../../xml/index.js';
import type { ConfiguredService } from '../soap/service.js';
import {
  type ConstantCall,
  type ConstantCallLimits,
  compileConstantCall,
  readReply,
  requestOf,
  sendWhole,
  textPath,
  type WholeReply,
} from './constant-call.js';

/** The health checks of a service; null where none are configured. They are not started. */
export function compileHealth(
  { health, limits }: AnyService,
  upstream: Upstream,
  options: UpstreamOptions,
  probe: healthChecks.HealthProbe | null = health?.path === undefined
    ? null
    : healthChecks.pathProbe(health.path),
): healthChecks.HealthChecks | null {
  return health === undefined
    ? null
    : new healthChecks.HealthChecks(upstream, limits.upstream, options, { ...health, probe });
}

/**
 * The services with their health checks, which may call an operation with a login session. Throws
 * `FindingsError`.
 */
export const withHealth = (
  limits: ConstantCallLimits,
  services: readonly ConfiguredService[],
): readonly ConfiguredService[] =>
  services.map((service) => {
    const { config, upstream, reach } = service;
    return {
      ...service,
      health: compileHealth(config, upstream, reach, probeOf(limits, service)),
    };
  });

type HealthConfig = NonNullable<ServiceConfig['health']>;

/** Null where a connection is enough. */
function probeOf(
  limits: ConstantCallLimits,
  service: ConfiguredService,
): healthChecks.HealthProbe | null {
  const { health } = service.config;
  if (health?.path !== undefined) return healthChecks.pathProbe(health.path);
  if (health?.wsdl === true) return wsdlProbe(service);
  if (health?.operation === undefined) return null;
  const { name } = service;
  const { operation, arguments: values = {} } = health;
  const callables = { services: [service], limits };
  const call = within(['services', name], () =>
    compileConstantCall(callables, name, ['health', 'operation'], operation, values),
  );
  return operationProbe(call, health);
}

const WSDL_REQUEST: UpstreamRequest = {
  method: 'GET',
  query: '?wsdl',
  headers: ['accept', '*/*', 'accept-encoding', 'identity'],
  body: null,
};

/**
 * A WSDL document, of version 1.1 or 2.0, is healthy. It is read up to its first tag: some have
 * megabytes.
 */
const wsdlProbe = ({ readers }: ConfiguredService): healthChecks.HealthProbe => ({
  urlOf: (address) => address,
  isHealthy: (upstream) =>
    new Promise((resolve) => {
      const root = new RootName();
      const reader = readers.take(root, null);
      const end = (isHealthy: boolean): void => {
        readers.give(reader);
        resolve(isHealthy);
      };
      upstream.call(WSDL_REQUEST, {
        head({ status }) {
          if (status >= 400) throw new Refusal('UPSTREAM_INVALID_RESPONSE', `status ${status}`);
        },
        data(chunk) {
          reader.write(chunk);
          if (root.name !== '') throw new Refusal('CLIENT_GONE', 'read enough');
        },
        end: () => end(WSDL_ROOTS.has(root.name)),
        failed: () => end(WSDL_ROOTS.has(root.name)),
      });
    }),
});

const WSDL_ROOTS: ReadonlySet<string> = new Set([
  '{http://schemas.xmlsoap.org/wsdl/}definitions',
  '{http://www.w3.org/ns/wsdl}description',
]);

class RootName implements XmlHandler {
  name = '';

  open({ uri, local }: StartTag): Interest {
    if (this.name !== '') return SKIP;
    this.name = `{${uri}}${local}`;
    return ELEMENTS_ONLY;
  }

  close(): void {}
  text(): void {}
  instruction(): void {}
}

function operationProbe(
  call: ConstantCall,
  { operation = '', expect = {}, faults = 'down' }: HealthConfig,
): healthChecks.HealthProbe {
  const { service } = call;
  const { session } = service;
  const expected = Object.entries(expect).map(([path, value]) => ({
    path: textPath(path),
    value: value.trim(),
  }));
  const isHealthy = (reply: WholeReply, isFault: boolean): boolean => {
    if (isFault) return faults === 'up';
    if (reply.head.status >= 400) return false;
    return expected.every(({ path, value }) => {
      const reader = new TextAtPath(path);
      readReply(call, reply, reader);
      return (reader.found ?? '') === value;
    });
  };
  return {
    urlOf: (address) => address,
    async isHealthy(upstream) {
      let token = session === null ? null : await session.login.token();
      let isRepeated = false;
      for (;;) {
        const request = requestOf(
          call,
          session === null || token === null ? null : { place: session.place, token },
        );
        const reply = await sendWhole(upstream, request);
        const fault = new soapFaults.FaultNames();
        if (reply.head.status !== 401) {
          readReply(call, reply, fault);
        }
        const isRefused =
          reply.head.status === 401 || [...fault.names].some((name) => session?.renewOn.has(name));
        if (session === null || token === null) return isHealthy(reply, fault.isFault);
        if (!isRefused) {
          if (reply.head.status <= 299) {
            session.login.accepted(token, operation, isRepeated);
          }
          return isHealthy(reply, fault.isFault);
        }
        if (!session.login.canRenew(token, operation)) return false;
        const renewed = await session.login.renew(token, operation);
        // Once: another token that is refused as well says that the address is not healthy.
        if (renewed === token) return false;
        token = renewed;
        isRepeated = true;
      }
    },
  };
}
