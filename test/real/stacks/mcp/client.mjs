#!/usr/bin/env node
// npm @modelcontextprotocol/client (MCP_CLIENTS is the folder of its package): client.mjs URL TOOL ARGUMENTS [VERSION]
// Prints what the server says of itself, its tools, and the result of a call. It confirms what it is asked.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { exercise } from './exercise.mjs';

const [url, tool, values, version] = process.argv.slice(2);
const require = createRequire(`${process.env.MCP_CLIENTS}/package.json`);
const { Client, StreamableHTTPClientTransport } = await import(
  pathToFileURL(require.resolve('@modelcontextprotocol/client').replace(/\.cjs$/, '.mjs')).href
);
const client = new Client(
  { name: 'test', version: '1' },
  { capabilities: { elicitation: {} }, versionNegotiation: { mode: version ? { pin: version } : 'legacy' } },
);
client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: {} }));
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
await exercise(client, { tool, values, protocol: () => client.getNegotiatedProtocolVersion() });
