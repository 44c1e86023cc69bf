import type { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
export async function messageAnswer(_inquiry: Inquiry): Promise<Finding | undefined> {
  return undefined;
}
