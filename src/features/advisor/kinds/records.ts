import type { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
export async function issueAnswer(_inquiry: Inquiry): Promise<Finding | undefined> {
  return undefined;
}
export async function incidentAnswer(_inquiry: Inquiry): Promise<Finding | undefined> {
  return undefined;
}
