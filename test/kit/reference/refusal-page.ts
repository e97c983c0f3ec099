import { printAmount } from '../../../src/config/keys/units.js';
import { limitsOfRefusal } from '../../../src/config/refusal-limits.js';
import { refusalGuides } from '../../../src/core/refusals/guides.js';
import { kindOf, type RefusalCode } from '../../../src/core/refusals/refusals.js';
import { answerOf } from './refusals.js';

const HEAD = `# Refusals

One section for each code: what it means, why a request is refused with it, and the remedy. \
\`soapstone rules CODE\` prints
the same. Callers find the code in the Fault's detail or in \`extensions.code\`, \
operators in the log line.
`;

/** The page of all refusals as Markdown. */
export function printRefusalPage(): string {
  const sections = (Object.keys(refusalGuides()) as RefusalCode[]).map((code) => {
    const { why, change } = refusalGuides()[code];
    const kind = kindOf(code);
    const limits = limitsOfRefusal(code).map(
      ({ key, row: { default: value, unit, max } }) =>
        `- \`${key}\`: ${printAmount(value, unit)} by default, ${printAmount(max, unit)} at most`,
    );
    const lines = [
      `## ${code}`,
      `${kind.text} Answer: ${answerOf(code, kind)}.`,
      `**Why.** ${why}`,
      `**Remedy.** ${change}`,
    ];
    return [...lines, ...(limits.length === 0 ? [] : [limits.join('\n')])].join('\n\n');
  });
  return `${[HEAD.trimEnd(), ...sections].join('\n\n')}\n`;
}
