import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { readWsdl } from '../../src/wsdl/read.js';
import { freePort } from '../kit/free-port.js';
import { MAIN } from '../kit/gateway-process.js';
import { FILES, schemaWith, wsdlWith } from '../wsdl/written.js';
import { useMock } from './use-mock.js';

/** `try`: from a WSDL to calls that work, as they are printed. */

const shell = promisify(execFile);

/** Runs it until it is ready, and returns what it printed. */
async function tried(t: Test, wsdl: string, ...options: string[]): Promise<string> {
  const listen = `127.0.0.1:${await freePort()}`;
  const child: ChildProcess = spawn(
    process.execPath,
    [MAIN, 'try', wsdl, '--listen', listen, ...options],
    {
      env: { PATH: process.env['PATH'] },
    },
  );
  const exit = once(child, 'exit');
  t.teardown(async () => {
    child.kill('SIGTERM');
    await exit;
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
    lines.push(line);
    if (line.includes('Ctrl-C')) break;
  }
  return lines.join('\n');
}

/** Runs the commands that were printed, as a person pastes them, and returns what each printed. */
async function pasted(text: string): Promise<readonly string[]> {
  const commands = text
    .split('\n')
    .flatMap((line) => (line.startsWith('  curl ') ? [line.trim()] : []));
  const answers: string[] = [];
  for (const command of commands) answers.push((await shell('sh', ['-c', command])).stdout);
  return answers;
}

const HAS_CURL = spawnSync('curl', ['--version']).status === 0;
const options = { skip: HAS_CURL ? false : 'curl is not installed' };

t.test('try prints a REST call and a call of a tool, which work', options, async (t) => {
  const wsdl = 'config/demo/legacy.wsdl';
  const text = await tried(t, wsdl, '--url', await useMock(t, await readWsdl(wsdl, FILES)));
  t.match(
    text,
    /OpenAPI +http:\S+\/rest\/openapi\.html\n {2}MCP +http:\S+\/mcp {3}\(its tools change nothing\)/,
  );
  const [rest = '', tool = ''] = await pasted(text);
  t.match(JSON.parse(rest), { id: 1, status: 'NEW' });
  t.match(JSON.parse(tool), { id: 1, result: { structuredContent: { id: 1, status: 'NEW' } } });
});

t.test('where nothing only reads, the calls are of what writes', options, async (t) => {
  const types = schemaWith(
    '<xs:element name="Put"><xs:complexType><xs:sequence>' +
      '<xs:element name="its" type="xs:string"/></xs:sequence></xs:complexType></xs:element>',
  );
  const portType =
    '<portType name="P"><operation name="Put"><input message="t:In"/><output message="t:Out"/>' +
    '</operation></portType>';
  const messages =
    '<message name="In"><part name="p" element="t:Put"/></message><message name="Out">' +
    '<part name="p" element="t:GetResponse"/></message>';
  const binding =
    '<binding name="B" type="t:P"><soap:binding style="document" ' +
    'transport="http://schemas.xmlsoap.org/soap/http"/><operation name="Put">' +
    '<soap:operation soapAction="urn:put"/><input><soap:body use="literal"/></input><output>' +
    '<soap:body use="literal"/></output></operation></binding>';
  const wsdl = join(
    t.testdir({ 'put.wsdl': wsdlWith({ types, portType, messages, binding }) }),
    'put.wsdl',
  );
  const text = await tried(t, wsdl, '--url', await useMock(t, await readWsdl(wsdl, FILES)));
  t.match(text, /MCP +http:\S+\/mcp {3}\(its tools may change something\)/);
  const [rest = '', tool = ''] = await pasted(text);
  t.equal(JSON.parse(rest), 'text');
  t.match(JSON.parse(tool), { id: 1, result: { structuredContent: { result: 'text' } } });
});
