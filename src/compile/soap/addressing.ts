import type { requestEncoding } from '../../codec/index.js';
import { invalid } from '../../config/keys/finding.js';
import type { ServicePlan } from '../../config/plans/service-plan.js';
import type { ServiceConfig } from '../../config/schema.js';
import { headerBlocks } from '../../soap/index.js';
import type { Operation } from '../../wsdl/index.js';

/**
 * The WS-Addressing of the requests that the gateway makes, by operation; null where no operation
 * has any.
 */
export type AddressingTable = ReadonlyMap<Operation, requestEncoding.RequestAddressing> | null;

/**
 * Decides which requests carry WS-Addressing: those whose operation requires it or is told from
 * another by its action alone, or by `addressing.calls` all or none.
 * Throws `FindingsError` for an operation without an action.
 */
export function compileAddressing(
  { name: service, config }: ServicePlan,
  operations: readonly Operation[],
): AddressingTable {
  const { calls, version } = config.addressing;
  const table = new Map<Operation, requestEncoding.RequestAddressing>();
  const [to = ''] = config.urls;
  for (const operation of operations) {
    const isNeeded =
      operation.addressing?.isRequired === true || operation.actionNamespace !== undefined;
    const isWritten = calls === 'send' || (calls === 'auto' && isNeeded);
    if (!isWritten || operation.status === 'disabled') continue;
    const declared = operation.addressing?.uri ?? operation.actionNamespace ?? headerBlocks.WSA_1_0;
    const uri = version === undefined ? declared : VERSIONS[version];
    const action = actionOf(operation, config);
    if (action === null) {
      const what =
        `The operation \`${operation.name}\` of service \`${service}\` has no ` +
        'action for WS-Addressing.';
      throw invalid(['operations', operation.name], what, 'Give it a `soapAction`.');
    }
    table.set(operation, { uri, action, to });
  }
  return table.size === 0 ? null : table;
}

const VERSIONS = { '2005/08': headerBlocks.WSA_1_0, '2004/08': headerBlocks.WSA_2004_08 } as const;

/**
 * The action of its requests (WS-Addressing 1.0 Metadata section 4.4): the one that is configured,
 * the one that the WSDL names, its SOAPAction, the default.
 */
function actionOf(
  { name, soapAction, addressingAction, namesAction }: Operation,
  config: ServiceConfig,
) {
  const mapping = config.operations[name];
  const configured = typeof mapping === 'object' ? mapping.soapAction : undefined;
  const named = namesAction === true ? addressingAction : null;
  return (
    [configured, named, soapAction, addressingAction]
      .find((action) => (action?.trim() ?? '') !== '')
      ?.trim() ?? null
  );
}
