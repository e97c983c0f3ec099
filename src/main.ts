#!/usr/bin/env node
import { disableConcurrentMarking, disablePretenuring } from './base/collector-flags.js';
import { collectPackets } from './base/packet-memory.js';
import { retainTickObject } from './base/tick-object.js';
import { runProgram } from './cli/program.js';
import { endProcessOneBySignals } from './process/stop-cause.js';
import { processTerminal, written } from './process/terminal.js';

endProcessOneBySignals();
retainTickObject();
disableConcurrentMarking();
disablePretenuring();
collectPackets();
const code = await runProgram(process.argv.slice(2), processTerminal);
// Ended here and not by itself: after a failed start a server may still listen. Output is flushed
// first.
process.exit((await written()) ? code : 1);
