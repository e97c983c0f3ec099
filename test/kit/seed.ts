import fc from 'fast-check';

// Loaded before every test file. Properties try the same values everywhere and every time, so that
// a result is about the change and not about luck; `npm run fuzz` gives other seeds. The limit ends
// the search for a smaller counterexample.
const SEED = 20010212;
fc.configureGlobal({
  seed: Number(process.env['FUZZ_SEED'] ?? SEED),
  interruptAfterTimeLimit: 120_000,
  markInterruptAsFailure: true,
});
