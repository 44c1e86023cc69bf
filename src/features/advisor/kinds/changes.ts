import type { RankedPassage } from '../../../backends/codesearch/port.ts';
import type { Finding, Sentence } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
export async function changeAnswer(_inquiry: Inquiry): Promise<Finding | undefined> {
  return undefined;
}
export async function lastChange(_inquiry: Inquiry, _p: RankedPassage): Promise<Sentence | undefined> {
  return undefined;
}
