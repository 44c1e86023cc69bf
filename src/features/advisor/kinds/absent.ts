import type { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
export async function absentWords(_inquiry: Inquiry): Promise<readonly string[]> {
  return [];
}
export async function existsAnswer(
  _inquiry: Inquiry,
  _absent: readonly string[],
): Promise<Finding | undefined> {
  return undefined;
}
