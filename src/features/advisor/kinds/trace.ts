import type { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
export async function traceAnswer(_inquiry: Inquiry): Promise<Finding | undefined> {
  return undefined;
}
