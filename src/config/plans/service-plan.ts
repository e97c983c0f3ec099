import { join } from 'node:path';
import type { GraphqlServiceConfig, ServiceConfig } from '../schema.js';
import type { ConfigSection, SectionPlace } from '../section.js';
import { type BackendPlan, readBackend } from './backend-plan.js';
import { readSecondBackend, type SecondBackendPlan } from './second-backend-plan.js';
import { readSecurity, type SecurityPlan } from './security-plan.js';

/** A service that speaks SOAP, as it is configured. */
export interface ServicePlan extends BackendPlan {
  readonly config: ServiceConfig;
  /** Null for a service without. */
  readonly wsdl: WsdlPlan | null;
  readonly security: SecurityPlan;
  /** The new backend that gets a share of its calls; null for none. */
  readonly canary: SecondBackendPlan | null;
  /** The folder of recorded exchanges; null where none are. */
  readonly recordFolder: string | null;
  /** The second backend that gets its reads as well; null for none. */
  readonly shadow: SecondBackendPlan | null;
}

/** The file of a WSDL. */
export interface WsdlPlan {
  readonly location: string;
  /** The position of the key that names it. */
  readonly place: SectionPlace;
  /** The file of what is taken from the backend in its place; null: it is in memory only. */
  readonly takenFile: string | null;
}

/** A service that speaks GraphQL, as it is configured. */
export interface GraphqlServicePlan extends BackendPlan {
  readonly config: GraphqlServiceConfig;
  /** The file of its schema, and as the operator names it; null where the service is asked. */
  readonly schema: { readonly location: string; readonly name: string } | null;
}

export const readService = (section: ConfigSection<ServiceConfig>): ServicePlan => ({
  ...readBackend(section),
  config: section.value,
  wsdl: readWsdlKeys(section),
  security: readSecurity(section),
  canary: readSecondBackend(section, 'canary'),
  recordFolder: readRecordFolder(section),
  shadow: readSecondBackend(section, 'shadow'),
});

function readRecordFolder(section: ConfigSection<ServiceConfig>): string | null {
  const { record } = section.value;
  return record === undefined ? null : section.locate(['record', 'folder'], record.folder).location;
}

function readWsdlKeys(section: ConfigSection<ServiceConfig>): WsdlPlan | null {
  const { wsdl, drift } = section.value;
  if (wsdl === undefined) return null;
  // It is called after the service, so that an operator finds it.
  const takenFile =
    drift?.folder === undefined
      ? null
      : join(section.locate(['drift', 'folder'], drift.folder).location, `${section.name}.taken`);
  return {
    location: section.locate(['wsdl'], wsdl).location,
    place: section.placeOf(['wsdl']),
    takenFile,
  };
}

export const readGraphqlService = (
  section: ConfigSection<GraphqlServiceConfig>,
): GraphqlServicePlan => {
  const { schema } = section.value;
  return {
    ...readBackend(section),
    config: section.value,
    schema:
      schema === undefined
        ? null
        : { location: section.locate(['schema'], schema).location, name: schema },
  };
};
