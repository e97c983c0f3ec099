import { collections, type Steps } from '../../core/index.js';
import { printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';
import { ENDPOINTS, type EndpointPath, isWrittenPath } from './path-rules.js';

const isBefore = (one: EndpointPath, other: EndpointPath): boolean =>
  ENDPOINTS.indexOf(one.endpoint) < ENDPOINTS.indexOf(other.endpoint);

/**
 * Finds paths that two endpoints claim: equal ones, those below a path whose endpoint is asked
 * first, and those that a REST path with parameters matches. A plain route takes the paths that are
 * left, so others may be below it.
 */
export function* pathOverlaps(claims: readonly EndpointPath[]): Steps<readonly Finding[]> {
  const written = claims.filter(({ claimed }) => isWrittenPath(claimed));
  const whole = written.filter(({ reach }) => reach !== 'template');
  const templates = written.filter(({ reach }) => reach === 'template');
  const findings = new OverlapFindings();
  yield* findEqual(
    whole.filter(({ reach }) => reach === 'exact'),
    findings,
  );
  yield* findBelow(whole, findings);
  yield* findMatched(templates, whole, findings);
  return findings.all;
}

/** The findings, one for each two keys. */
class OverlapFindings {
  readonly all: Finding[] = [];
  readonly #pairs = new Set<string>();

  add(claim: EndpointPath, owner: EndpointPath, what: string, remedy: string): void {
    const pair = [claim, owner]
      .map(({ path }) => printPath(path))
      .sort()
      .join(' ');
    if (this.#pairs.has(pair)) return;
    this.#pairs.add(pair);
    this.all.push({ path: claim.path, part: 'value', what, remedy });
  }
}

function* findEqual(claims: readonly EndpointPath[], findings: OverlapFindings): Steps<void> {
  const owners = new Map<unknown, EndpointPath>();
  for (const claim of claims) {
    const owner = owners.get(claim.claimed);
    if (owner === undefined) {
      owners.set(claim.claimed, claim);
    } else {
      findings.add(
        claim,
        owner,
        `${nameOf(claim)} is the same path as ${nameOf(owner)}.`,
        'Give each its own path.',
      );
    }
    yield;
  }
}

function* findBelow(claims: readonly EndpointPath[], findings: OverlapFindings): Steps<void> {
  const folders = new Map<string, EndpointPath>();
  for (const claim of claims) {
    if (claim.reach === 'below') {
      folders.set(String(claim.claimed), claim);
    }
  }
  for (const claim of claims) {
    const path = String(claim.claimed);
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
      const owner = folders.get(path.slice(0, at + 1));
      if (owner === undefined || !isBefore(owner, claim)) continue;
      const what =
        `${describe(claim)} is below ${nameOf(owner)}, which has all paths below ` +
        `${String(owner.claimed)}.`;
      findings.add(claim, owner, what, 'Give each paths of its own.');
    }
    yield;
  }
}

function* findMatched(
  templates: readonly EndpointPath[],
  claims: readonly EndpointPath[],
  findings: OverlapFindings,
): Steps<void> {
  const others = claims.filter(({ endpoint }) => endpoint !== 'rest');
  const folders = others.filter(({ reach }) => reach === 'below');
  // Few paths have the length and the beginning of a template, however many services there are.
  const byStart = new Map<string, EndpointPath[]>();
  for (const claim of others.filter(({ reach }) => reach !== 'below')) {
    const segments = segmentsOf(claim);
    collections.addToGroup(byStart, startOf(segments.length, segments[0]), claim);
    collections.addToGroup(byStart, startOf(segments.length, PARAMETER), claim);
    yield;
  }
  for (const template of templates) {
    const segments = segmentsOf(template);
    const name = describe(template);
    for (const claim of byStart.get(startOf(segments.length, segments[0])) ?? []) {
      if (!isMatch(segments, segmentsOf(claim))) continue;
      const what = `${name} matches the path of ${nameOf(claim)}, ${String(claim.claimed)}.`;
      findings.add(template, claim, what, 'Give each its own path.');
    }
    for (const claim of folders) {
      const owned = segmentsOf(claim).slice(0, -1);
      if (owned.length >= segments.length || !isMatch(segments.slice(0, owned.length), owned)) {
        continue;
      }
      const what =
        `${name} matches paths of ${nameOf(claim)}, which has all below ` +
        `${String(claim.claimed)}.`;
      findings.add(template, claim, what, 'Give each paths of its own.');
    }
    yield;
  }
}

const PARAMETER = '{}';

const segmentsOf = ({ claimed }: EndpointPath): readonly string[] =>
  String(claimed)
    .slice(1)
    .split('/')
    .map((segment) => (segment.startsWith('{') ? PARAMETER : segment));

const startOf = (length: number, first = ''): string => `${length} ${first}`;

/** A parameter has some text. */
const isMatch = (template: readonly string[], segments: readonly string[]): boolean =>
  template.every((segment, at) =>
    segment === PARAMETER ? segments[at] !== '' : segment === segments[at],
  );

const nameOf = ({ path, claimed, isDerived }: EndpointPath): string =>
  isDerived === true ? `\`${String(claimed)}\` of ${printPath(path)}` : printPath(path);

/** The key with the path that it claims. */
const describe = (claim: EndpointPath): string =>
  claim.isDerived === true ? nameOf(claim) : `${nameOf(claim)} (${String(claim.claimed)})`;
