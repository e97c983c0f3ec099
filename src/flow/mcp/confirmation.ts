import { isRecord } from '../../base/record.js';
import { CODES, type McpMessage, ProtocolError } from './message.js';
import { errorResult, type ToolResult } from './tool-call.js';

/** The key of the one question that is asked. */
const QUESTION = 'confirm';

/** Characters of arguments that a question shows. */
const SHOWN_CHARS_MAX = 1000;

/** A result that asks the person behind the agent, who calls again with the answer. */
interface InputRequired {
  readonly resultType: 'input_required';
  readonly inputRequests: Readonly<Record<string, unknown>>;
}

/**
 * What a call that has to be confirmed is answered instead of being made; null once a person has accepted it. The question is a
 * result of its own (`elicitation/create` in multi round-trip requests, MCP 2026-07-28), so that nothing is kept. Throws a
 * `ProtocolError` for a client that cannot ask.
 */
export function askForConfirmation(
  { isStateless, capabilities, params }: McpMessage,
  tool: string,
  values: Readonly<Record<string, unknown>>,
): ToolResult | InputRequired | null {
  if (!isStateless) return errorResult(OLDER);
  if (!isRecord(capabilities['elicitation']))
    throw new ProtocolError(CODES.missingCapability, 'The tool asks for a confirmation', 400, {
      requiredCapabilities: { elicitation: {} },
    });
  const answers = isRecord(params['inputResponses']) ? params['inputResponses'] : {};
  const answer = answers[QUESTION];
  if (!isRecord(answer))
    return { resultType: 'input_required', inputRequests: { [QUESTION]: question(tool, values) } };
  return answer['action'] === 'accept'
    ? null
    : errorResult('It was not confirmed, and nothing was sent.');
}

const OLDER =
  'This tool asks a person for a confirmation, which needs revision 2026-07-28 of the protocol. Nothing was sent.';

function question(tool: string, values: Readonly<Record<string, unknown>>): unknown {
  const shown = JSON.stringify(values);
  const cut = shown.length > SHOWN_CHARS_MAX ? `${shown.slice(0, SHOWN_CHARS_MAX)}...` : shown;
  return {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: `Call ${tool} with ${cut}?`,
      requestedSchema: { type: 'object', properties: {} },
    },
  };
}
