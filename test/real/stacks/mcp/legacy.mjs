#!/usr/bin/env node
// npm @modelcontextprotocol/sdk of the first generation (MCP_CLIENTS is the folder of its package): legacy.mjs URL TOOL ARGUMENTS
// Prints what the server says of itself, its tools, and the result of a call, which it checks by the schema of the tool. It
// confirms what it is asked.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { exercise } from './exercise.mjs';

const [url, tool, values] = process.argv.slice(2);
const require = createRequire(`${process.env.MCP_CLIENTS}/package.json`);
const load = (name) => import(pathToFileURL(require.resolve(name).replace('/cjs/', '/esm/')).href);
const { Client } = await load('@modelcontextprotocol/sdk/client/index.js');
const { StreamableHTTPClientTransport } = await load('@modelcontextprotocol/sdk/client/streamableHttp.js');
const { ElicitRequestSchema } = await load('@modelcontextprotocol/sdk/types.js');
const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content: {} }));
const transport = new StreamableHTTPClientTransport(new URL(url));
await client.connect(transport);
await exercise(client, { tool, values, protocol: () => transport.protocolVersion });
