/** The answer of GraphQL in this text, without what it has cost: that changes with what calls and objects are worth. */
export function answerIn<T extends object>(text: string): T {
  const answer: T & { extensions?: Record<string, unknown> } = JSON.parse(text);
  const { cost, ...others } = answer.extensions ?? {};
  if (cost === undefined) return answer;
  if (Object.keys(others).length > 0) return { ...answer, extensions: others };
  delete answer.extensions;
  return answer;
}
