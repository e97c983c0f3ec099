#!/usr/bin/env node
import { run } from './cli/program.js';
import { processTerminal } from './cli/terminal.js';

process.exitCode = await run(process.argv.slice(2), processTerminal);
