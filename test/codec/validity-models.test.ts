import fc from 'fast-check';
import t from 'tap';

import { ContentAutomaton } from '../../src/codec/validity/automaton.js';
import { ModelWalk } from '../../src/codec/validity/walk.js';
import type { ElementDeclaration, Particle } from '../../src/wsdl/model.js';
import { element, group, STRING } from '../graphql/models.js';

/**
 * Content models of any shape, ambiguous ones too, against the regular expression that they are.
 */

const NAMES = ['a', 'b', 'c', 'd'] as const;
const URI = 'urn:shop';

type Counts = readonly [min: number, max: number];
const counts: fc.Arbitrary<Counts> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<Counts>([1, 1], [0, 1], [0, Infinity], [1, Infinity]) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Counts>(
      [2, 2],
      [0, 2],
      [1, 3],
      [2, 3],
      [2, Infinity],
      [0, 1_000_000_000],
    ),
  },
);

const leaf: fc.Arbitrary<Particle> = fc
  .tuple(fc.constantFrom(...NAMES), counts)
  .map(([name, [min, max]]) => ({ kind: 'one', element: element(name, STRING), min, max }));
const wildcard: fc.Arbitrary<Particle> = counts.map(([min, max]) => ({
  kind: 'any',
  wildcard: { process: 'skip', namespaces: { kind: 'any' } },
  min,
  max,
}));
const { model } = fc.letrec<{ model: Particle; group: Particle }>((tie) => ({
  model: fc.oneof(
    { depthSize: 'small' },
    { weight: 4, arbitrary: leaf },
    { weight: 1, arbitrary: wildcard },
    tie('group'),
  ),
  group: fc
    .tuple(
      fc.constantFrom<('sequence' | 'choice')[]>('sequence', 'choice'),
      fc.array(tie('model'), { minLength: 1, maxLength: 4 }),
      counts,
    )
    .map(([kind, particles, [min, max]]) => group(kind, particles, min, max)),
}));
const all: fc.Arbitrary<Particle> = fc
  .tuple(
    fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1 }),
    fc.array(fc.boolean(), { minLength: 4 }),
  )
  .map(([names, optional]) =>
    group(
      'all',
      names.map((name, i) => ({
        kind: 'one',
        element: element(name, STRING),
        min: optional[i] ? 0 : 1,
        max: 1,
      })),
    ),
  );

function printed(particle: Particle): string {
  const { min, max } = particle;
  const times = max === Infinity ? `{${min},}` : `{${min},${Math.min(max, 1000)}}`;
  return `(?:${bare(particle)})${times}`;
}

function bare(particle: Particle): string {
  switch (particle.kind) {
    case 'one':
      return particle.element.name.local;
    case 'any':
      return '[a-d]';
    case 'sequence':
      return particle.particles.map(printed).join('');
    case 'choice':
      return particle.particles.map(printed).join('|');
    case 'all':
      return orders(particle.particles).join('|');
  }
}

/** Every order of the members. */
function orders(members: readonly Particle[]): readonly string[] {
  if (members.length === 0) return [''];
  return members.flatMap((member) =>
    orders(members.filter((other) => other !== member)).map((rest) => printed(member) + rest),
  );
}

/** Null where there are too many states to follow, which no model that means anything has. */
function accepts(particle: Particle, names: string): boolean | null {
  const automaton = ContentAutomaton.of<ElementDeclaration>(particle, (declaration) => declaration);
  if (automaton === null) throw new Error('too large');
  const walk = new ModelWalk<ElementDeclaration>();
  // Twice, because the second time takes the ways that were remembered.
  let result = false;
  for (let round = 0; round < 2; round++) {
    walk.begin(automaton);
    result = [...names].every((name) => walk.advance(URI, name) !== null) && walk.isComplete;
  }
  return walk.isUnordered ? null : result;
}

/** Regular expressions that repeat what repeats go back and forth: short texts only. */
const text = fc.array(fc.constantFrom(...NAMES), { maxLength: 9 }).map((names) => names.join(''));

t.test('a content model accepts what its regular expression does', async (t) => {
  let lost = 0;
  fc.assert(
    fc.property(model, fc.array(text, { minLength: 8, maxLength: 8 }), (particle, texts) => {
      const expression = new RegExp(`^${printed(particle)}$`);
      for (const names of texts) {
        const [found, expected] = [accepts(particle, names), expression.test(names)];
        if (found === null) lost++;
        else if (found !== expected) throw new Error(`${expression.source} ${names}: ${found}`);
      }
    }),
    { numRuns: 3000 },
  );
  t.ok(lost < 240, `${lost} of 24000 have too many states`);
});

t.test('and what it was made of', async () => {
  fc.assert(
    fc.property(
      model,
      fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
      (particle, chance) => {
        const names = sample(particle, () => chance.next().value ?? 0);
        if (names.length > 60) return;
        if (accepts(particle, names) === false) throw new Error(`${printed(particle)} ${names}`);
      },
    ),
    { numRuns: 3000 },
  );
});

t.test('in any order, where the order does not matter', async () => {
  fc.assert(
    fc.property(all, text, (particle, names) => {
      const expression = new RegExp(`^(?:${bare(particle)})$`);
      if (accepts(particle, names) !== expression.test(names))
        throw new Error(`${expression.source} ${names}`);
    }),
    { numRuns: 500 },
  );
});

function sample(particle: Particle, chance: () => number): string {
  const times =
    particle.min +
    Math.floor(chance() * (Math.min(particle.max, particle.min + 2) - particle.min + 1));
  return Array.from({ length: times }, () => sampleOnce(particle, chance)).join('');
}

function sampleOnce(particle: Particle, chance: () => number): string {
  const pick = <T>(from: readonly T[]): T | undefined =>
    from[Math.min(from.length - 1, Math.floor(chance() * from.length))];
  switch (particle.kind) {
    case 'one':
      return particle.element.name.local;
    case 'any':
      return pick(NAMES) ?? 'a';
    case 'choice': {
      const chosen = pick(particle.particles);
      return chosen === undefined ? '' : sample(chosen, chance);
    }
    case 'sequence':
    case 'all':
      return particle.particles.map((member) => sample(member, chance)).join('');
  }
}
