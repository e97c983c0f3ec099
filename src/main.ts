#!/usr/bin/env node
import { run } from './cli/program.js';
import { processTerminal } from './cli/terminal.js';

// Ended here and not by itself: after a failed start a server may still listen.
process.exit(await run(process.argv.slice(2), processTerminal));
