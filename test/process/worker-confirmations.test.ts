import { request as httpRequest, type IncomingMessage } from 'node:http';
import t from 'tap';
import { answerWith } from '../kit/backend.js';
import { envelope, faultOf, MEDIA } from '../kit/envelope.js';
import { useBackend } from '../kit/use.js';
import { start, WSDL } from './process-kit.js';

/** Tools that a person confirms, where the answer reaches another worker than the question. */

const MCP = 'workers: 2\nmcp: { write: [orders.CancelOrder], confirm: [orders.CancelOrder] }\n';
const VALUES = { id: 1, reason: 'x' };

/** Sends a message on a connection of its own, which the workers get in turn. */
function send(
  url: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${url}/mcp`, {
      method: 'POST',
      agent: false,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
    });
    request.on('error', reject).on('response', resolve);
    request.end(JSON.stringify(body));
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return text;
}

t.test('a question of one worker is answered at another, and once', async (t) => {
  const backend = await useBackend(t, answerWith(envelope(faultOf('s:Server')), MEDIA['1.1'], 500));
  const services = `services: { orders: { wsdl: "${WSDL}", url: "${backend.url}" } }\n`;
  const { url } = await start(t, MCP, services);
  const call = { name: 'cancelOrder', arguments: VALUES };
  const newer = async (more: object): Promise<string> => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    };
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { ...call, ...more, _meta },
    };
    const headers = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'cancelOrder',
    };
    return textOf(await send(url, message, headers));
  };
  for (let round = 1; round <= 4; round++) {
    const { requestState } = JSON.parse(await newer({})).result;
    const answer = { requestState, inputResponses: { confirm: { action: 'accept' } } };
    t.notMatch(await newer(answer), /input_required/, `round ${round}: any worker takes it`);
    t.equal(backend.begun, round);
    for (let again = 0; again < 2; again++) t.match(await newer(answer), /input_required/);
    t.equal(backend.begun, round, 'no worker takes it again');
  }
  const older = { 'mcp-protocol-version': '2025-11-25' };
  const params = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} } };
  const opened = await send(url, { jsonrpc: '2.0', id: 0, method: 'initialize', params }, older);
  await textOf(opened);
  const session = { ...older, 'mcp-session-id': String(opened.headers['mcp-session-id']) };
  for (let round = 5; round <= 8; round++) {
    const message = { jsonrpc: '2.0', id: round, method: 'tools/call', params: call };
    const stream = await send(url, message, session);
    let text = '';
    for await (const chunk of stream) {
      const isQuestion = text === '';
      text += String(chunk);
      if (!isQuestion) continue;
      const { id } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '');
      const answer = { jsonrpc: '2.0', id, result: { action: 'accept', content: {} } };
      t.equal((await send(url, answer, session)).statusCode, 202);
    }
    t.match(text, new RegExp(`"id":${round},"result"`), `round ${round}`);
    t.equal(backend.begun, round);
  }
});
