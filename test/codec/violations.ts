import { FramePool } from '../../src/codec/validity/frame-pool.js';
import { VALIDITY_LIMITS } from '../../src/codec/validity/limits.js';
import type { ElementRules, SchemaRules } from '../../src/codec/validity/rules.js';
import { ContentValidator } from '../../src/codec/validity/validator.js';
import type { Violation } from '../../src/codec/validity/violation.js';
import { defaultsOf } from '../../src/core/limit.js';
import type { XmlLimits } from '../../src/xml/limits.js';
import { readXml } from '../kit/read-xml.js';

export const THOROUGH = { ...defaultsOf(VALIDITY_LIMITS), textChars: 1_000_000, isThorough: true };

const FRAMES = new FramePool();

/** What is wrong with a document whose root has these rules. */
export function violationsIn(
  rules: SchemaRules,
  root: ElementRules | null,
  document: string | readonly Uint8Array[],
  limits: typeof THOROUGH = THOROUGH,
  xmlLimits: Partial<XmlLimits> = {},
): readonly Violation[] {
  if (root === null) throw new Error('no such element');
  const found: Violation[] = [];
  readXml(
    new ContentValidator(rules, root, (violation) => found.push(violation), limits, FRAMES),
    document,
    xmlLimits,
  );
  return found;
}
