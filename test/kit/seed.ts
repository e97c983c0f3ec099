import fc from 'fast-check';

import { CODEC_REFUSALS } from '../../src/codec/refusals.js';
import { CORE_REFUSALS, installRefusals } from '../../src/core/refusals/refusals.js';
import { KEY_REFUSALS } from '../../src/gateway/refusals.js';
import { GRAPHQL_REFUSALS } from '../../src/graphql/refusals.js';
import { SOAP_REFUSALS } from '../../src/soap/refusals.js';
import { UPSTREAM_REFUSALS } from '../../src/upstream/refusals.js';
import { WSS_REFUSALS } from '../../src/wss/refusals.js';
import { XML_REFUSALS } from '../../src/xml/refusals.js';

// Loaded before every test file. Properties try the same values everywhere and every time, so that
// a result is about the change and not about luck; `npm run fuzz` gives other seeds. The limit ends
// the search for a smaller counterexample.
const SEED = 20010212;
fc.configureGlobal({
  seed: Number(process.env['FUZZ_SEED'] ?? SEED),
  interruptAfterTimeLimit: 120_000,
  markInterruptAsFailure: true,
});

// The rows without the faces of their packages, which would load all of them for each test file.
installRefusals({
  ...XML_REFUSALS,
  ...SOAP_REFUSALS.envelope,
  ...WSS_REFUSALS,
  ...SOAP_REFUSALS.packages,
  ...CORE_REFUSALS.http,
  ...UPSTREAM_REFUSALS.connections,
  ...CORE_REFUSALS.replies,
  ...UPSTREAM_REFUSALS.service,
  ...KEY_REFUSALS,
  ...CORE_REFUSALS.faults,
  ...CODEC_REFUSALS,
  ...CORE_REFUSALS.requests,
  ...GRAPHQL_REFUSALS,
  ...CORE_REFUSALS.access,
  ...CORE_REFUSALS.process,
});
