import type { Intake, WebhookIntake } from '../../../src/features/connectors/intake/open-intake.ts';

/** Returns the intake of the tracker. */
export function trackerIntake({ sources }: Intake): WebhookIntake {
  const found = sources.get('tracker');
  if (found === undefined) throw new Error('the tracker receives no webhooks');
  return found;
}
