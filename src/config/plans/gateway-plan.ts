import type { inputFiles, Steps } from '../../core/index.js';
import type { AuditTarget } from '../../observe/audit/chain-writer.js';
import type { Finding } from '../keys/finding.js';
import type { AdminListenerConfig } from '../listen/listen-keys.js';
import type { Config } from '../schema.js';
import type { ConfigSection } from '../section.js';
import { readAudit } from './audit-plan.js';
import { type ClientsPlan, readClients } from './client-plan.js';
import { type CompiledPlan, readCompiledKeys } from './compiled-plan.js';
import { type ListenerPlan, readAdmin, readListeners } from './listener-plan.js';
import { warningsOfSecrets } from './literal-secrets.js';
import { type RedisPlan, readRedis } from './redis-plan.js';
import {
  type GraphqlServicePlan,
  readGraphqlService,
  readService,
  type ServicePlan,
} from './service-plan.js';

/**
 * A configuration as plain values: files have their paths, secrets their files. The tables of the
 * gateway are compiled from it.
 */
export interface GatewayPlan {
  readonly config: Config;
  /** The folder that its files are read from. */
  readonly inputs: inputFiles.Inputs;
  readonly services: readonly ServicePlan[];
  readonly graphqlServices: readonly GraphqlServicePlan[];
  readonly clients: ClientsPlan;
  readonly listen: readonly ListenerPlan[];
  readonly admin: readonly ListenerPlan<AdminListenerConfig>[];
  /** Null without Redis. */
  readonly redis: RedisPlan | null;
  /** The record of decisions; null for none. */
  readonly audit: AuditTarget | null;
  /** The manifest of trusted documents; null without. */
  readonly manifest: ManifestPlan | null;
  /** The folder for compiled forms of WSDLs; null for none. */
  readonly compiled: CompiledPlan | null;
  /** Warnings of secrets that are in the configuration itself. */
  readonly secrets: readonly Finding[];
}

/** A file of trusted documents. */
export interface ManifestPlan {
  readonly location: string;
  /** As the operator would name it. */
  readonly shown: string;
}

/** Reads all values of a configuration: nothing after it knows sections. */
export function* readPlan(root: ConfigSection<Config>): Steps<GatewayPlan> {
  const { value: config, inputs } = root;
  const services: ServicePlan[] = [];
  for (const [name, service] of Object.entries(config.services)) {
    services.push(readService(root.at(service, 'services', name)));
    yield;
  }
  return {
    config,
    inputs,
    services,
    graphqlServices: Object.entries(config.graphqlServices).map(([name, service]) =>
      readGraphqlService(root.at(service, 'services', name)),
    ),
    clients: readClients(root),
    listen: readListeners(root),
    admin: readAdmin(root),
    redis: readRedis(root),
    audit: readAudit(root),
    manifest: readManifestKeys(root),
    compiled: readCompiledKeys(root),
    secrets: yield* warningsOfSecrets(root),
  };
}

function readManifestKeys(root: ConfigSection<Pick<Config, 'graphql'>>): ManifestPlan | null {
  const { trusted } = root.value.graphql;
  return trusted === undefined
    ? null
    : root.locate(['graphql', 'trusted', 'manifest'], trusted.manifest);
}
