#!/usr/bin/env node
import { runProgram } from './cli/program.js';
import { REFUSALS } from './config/refusal-tables.js';
import { byteBuffers, refusals } from './core/index.js';
import { disableConcurrentMarking, disablePretenuring } from './process/collector-flags.js';
import { endProcessOneBySignals } from './process/stop-cause.js';
import { processTerminal, written } from './process/terminal.js';
import { retainTickObject } from './process/tick-object.js';

refusals.installRefusals(REFUSALS);
endProcessOneBySignals();
retainTickObject();
disableConcurrentMarking();
disablePretenuring();
byteBuffers.collectPackets();
const code = await runProgram(process.argv.slice(2), processTerminal);
// Ended here and not by itself: after a failed start a server may still listen. Output is flushed
// first.
process.exit((await written()) ? code : 1);
