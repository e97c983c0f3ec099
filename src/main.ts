#!/usr/bin/env node
import { runProgram } from './cli/program.js';
import { REFUSALS } from './config/refusal-tables.js';
import { collectPackets, installRefusals } from './core/index.js';
import { disableConcurrentMarking, disablePretenuring } from './process/collector-flags.js';
import { endProcessOneBySignals } from './process/stop-cause.js';
import { processTerminal, written } from './process/terminal.js';
import { retainTickObject } from './process/tick-object.js';

installRefusals(REFUSALS);
endProcessOneBySignals();
retainTickObject();
disableConcurrentMarking();
disablePretenuring();
collectPackets();
const code = await runProgram(process.argv.slice(2), processTerminal);
// Ended here and not by itself: after a failed start a server may still listen. Output is flushed
// first.
process.exit((await written()) ? code : 1);
