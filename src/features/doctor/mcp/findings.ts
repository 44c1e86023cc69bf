import { type CheckOutcome, type Evidence, pass, warning } from './report.ts';

/** A minor defect that OAuth tolerates. */
export interface Finding {
  readonly message: string;
  readonly hint: string;
}

/** Returns a passed outcome, or a warning that lists all findings if there are any. */
export function passUnless(
  findings: readonly (Finding | undefined)[],
  message: string,
  evidence: Evidence,
): CheckOutcome {
  const found = findings.filter((finding) => finding !== undefined);
  if (found.length === 0) return pass(message, evidence);
  const messages = [message, ...found.map((finding) => finding.message)];
  return warning(messages.join(' '), found.map((finding) => finding.hint).join(' '), evidence);
}
