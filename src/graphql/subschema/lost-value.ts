/** Whether a value, or an item of a list, was sent and is missing in the result. */
export function isLost(sent: unknown, value: unknown): boolean {
  if (sent === null || sent === undefined || sent instanceof Error) return false;
  if (!Array.isArray(sent) || !Array.isArray(value)) return value === null;
  return sent.some((item, index) => isLost(item, value[index]));
}
