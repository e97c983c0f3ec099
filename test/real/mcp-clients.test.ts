import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { type Crm, startCrm } from '../kit/crm.js';
import { envelope } from '../kit/envelope.js';
import { useBackend, useGateway } from '../kit/use.js';
import { MCP_CLIENTS, MCP_PYTHON, missing } from './programs.js';
import { STACKS } from './stacks.js';

/**
 * The official clients of the Model Context Protocol, of both generations, and its conformance
 * suite.
 */

const run = promisify(execFile);
const skip = missing('mcp');

const startTools = async (t: Test): Promise<Crm> => {
  const mcp =
    'mcp: { operations: [crm.GetCustomer, crm.FindCustomers], write: [crm.SetCustomer], ' +
    'confirm: [crm.SetCustomer] }\n';
  const crm = await startCrm('', mcp);
  t.teardown(() => crm.close());
  return crm;
};

const ask = async (command: string, args: readonly string[]): Promise<unknown> => {
  const { stdout } = await run(command, args, { timeout: 60_000 });
  return JSON.parse(stdout);
};

const READ = ['getCustomer', '{"id":7}'] as const;
const WRITE = ['setCustomer', '{"id":7,"name":"B"}'] as const;
const TOOLS = ['getCustomer', 'findCustomers', 'setCustomer'];
const script = (name: string): string => join(STACKS, 'mcp', name);

t.test('the TypeScript client, with a handshake and without', { skip }, async (t) => {
  const crm = await startTools(t);
  const url = `${crm.gateway.url}/mcp`;
  for (const [version, protocol] of [
    [[], '2025-11-25'],
    [['2026-07-28'], '2026-07-28'],
  ] as const) {
    const answer = await ask(process.execPath, [script('client.mjs'), url, ...READ, ...version]);
    t.match(answer, {
      protocol,
      tools: TOOLS,
      server: { name: 'soapstone' },
      bad: { isError: true },
    });
    t.match(answer, { result: { structuredContent: { id: Number, name: String } } });
  }
  for (const version of [[], ['2026-07-28']])
    t.match(
      await ask(process.execPath, [script('client.mjs'), url, ...WRITE, ...version]),
      { result: { structuredContent: { result: true } } },
      'a person has confirmed it',
    );
});

t.test('the TypeScript client of the generation before', { skip }, async (t) => {
  const crm = await startTools(t);
  const answer = await ask(process.execPath, [
    script('legacy.mjs'),
    `${crm.gateway.url}/mcp`,
    ...READ,
  ]);
  t.match(answer, {
    protocol: '2025-11-25',
    tools: TOOLS,
    result: { structuredContent: Object },
    bad: { isError: true },
  });
  t.match(
    await ask(process.execPath, [script('legacy.mjs'), `${crm.gateway.url}/mcp`, ...WRITE]),
    { result: { structuredContent: { result: true } } },
    'a person has confirmed it',
  );
});

t.test(
  'the Python client, with a handshake and without',
  { skip: missing('mcp-python') },
  async (t) => {
    const crm = await startTools(t);
    const url = `${crm.gateway.url}/mcp`;
    for (const [mode, protocol] of [
      ['auto', '2026-07-28'],
      ['legacy', '2025-11-25'],
      ['2026-07-28', '2026-07-28'],
    ] as const) {
      const answer = await ask(MCP_PYTHON, [script('client.py'), url, ...READ, mode]);
      t.match(
        answer,
        { protocol, tools: TOOLS, result: { structuredContent: Object }, bad: { isError: true } },
        mode,
      );
    }
    for (const mode of ['auto', 'legacy', '2026-07-28']) {
      const confirmed = await ask(MCP_PYTHON, [script('client.py'), url, ...WRITE, mode]);
      t.match(confirmed, { result: { structuredContent: { result: true } } }, mode);
    }
  },
);

/**
 * Scenarios of @modelcontextprotocol/conformance that apply to a server of tools. All others are
 * about resources, prompts, completion, sampling, logging, tasks and streams, which the server does
 * not declare, or call tools that only a server made for the suite can have (images, audio, schemas
 * with references, header annotations, several rounds of questions). Those of authorization are for
 * clients, and for authorization servers.
 */
const SCENARIOS = [
  'server-initialize',
  'server-session-lifecycle',
  'ping',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  'server-sse-polling',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
  'http-header-validation',
  'sep-2164-resource-not-found',
  'input-required-result-missing-input-response',
  'input-required-result-unsupported-methods',
  'input-required-result-ignore-extra-params',
  'input-required-result-validate-input',
];

/**
 * Scenarios of which some checks need such tools, or lists that the server does not have: all
 * others of them pass.
 */
const PARTLY = new Map([
  ['server-stateless', /Not testable: server does not list the diagnostic tool/],
  [
    'caching',
    /(?:prompts|resources|resources\/templates)\/(?:list|read) .*(?:-32601|not exercised)/,
  ],
]);

// The suite needs Node 22.
if (Number(process.versions.node.split('.')[0]) >= 22)
  t.test('the conformance suite', { skip }, async (t) => {
    const backend = await useBackend(t, ({ body }, response) => {
      const isBroken = body.toString().includes('Broken');
      const content = isBroken
        ? '<s:Fault xmlns:s="http://schemas.xmlsoap.org/soap/envelope/">' +
          '<faultcode>s:Server</faultcode><faultstring>on purpose</faultstring></s:Fault>'
        : '<SimpleResponse xmlns="urn:t"><text>This is a simple text response for ' +
          'testing.</text></SimpleResponse>';
      response
        .writeHead(isBroken ? 500 : 200, { 'content-type': 'text/xml' })
        .end(envelope(content));
    });
    const gateway = await useGateway(
      t,
      `services:
  t:
    url: ${backend.url}/t
    namespace: urn:t
    types: "type Query { test_simple_text: String, test_error_handling: String }"
    operations:
      Simple: { field: Query.test_simple_text, response: SimpleResponse }
      Broken: { field: Query.test_error_handling, response: BrokenResponse }
mcp: { operations: [t.Simple, t.Broken] }
`,
    );
    const checks = async (scenario: string): Promise<readonly string[]> => {
      const program = join(
        MCP_CLIENTS,
        'node_modules/@modelcontextprotocol/conformance/dist/index.js',
      );
      const args = [
        program,
        'server',
        '--url',
        `${gateway.url}/mcp`,
        '--scenario',
        scenario,
        '--verbose',
      ];
      const { stdout } = await run(process.execPath, args, { timeout: 60_000 }).catch(
        (error) => error,
      );
      const [json = ''] = /^\[$.*?^\]$/ms.exec(String(stdout)) ?? [];
      const found: unknown = JSON.parse(json);
      if (!Array.isArray(found) || found.length === 0) throw new Error(`no checks: ${stdout}`);
      return found
        .filter(({ status }) => status === 'FAILURE')
        .map(({ errorMessage }) => String(errorMessage));
    };
    for (const scenario of SCENARIOS) t.same(await checks(scenario), [], scenario);
    for (const [scenario, isMissing] of PARTLY)
      t.same(
        (await checks(scenario)).filter((text) => !isMissing.test(text)),
        [],
        scenario,
      );
  });
