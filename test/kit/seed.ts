import fc from 'fast-check';

// Loaded before every test file. At a desk each run tries new values; in continuous integration the same ones every
// time, so that a verdict is about the change and not about luck.
if (process.env['CI'] !== undefined) fc.configureGlobal({ seed: 20010212 });
