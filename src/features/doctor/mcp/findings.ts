import { type CheckOutcome, type Evidence, pass, warning } from './report.ts';

/** Something beside the point of a check that is not as it should be, though OAuth works with it. */
export interface Finding {
  readonly message: string;
  readonly hint: string;
}

/** What a check says that is passed but for what was found on the way: each finding is told, and makes it a warning. */
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
