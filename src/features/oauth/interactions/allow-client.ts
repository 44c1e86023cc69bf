import { type GrantId, newId } from '../../../foundation/kernel/ids.ts';
import type { AllowDecision } from '../authorization-server.ts';
import { createGrant } from './create-grant.ts';
import type { Interaction, InteractionDeps } from './find-interaction.ts';
import { recordResult } from './record-result.ts';

/**
 * Allows a client that waits for a redirect. The grant and the result are written in one transaction, so that neither
 * exists without the other and there is never a second grant.
 */
export async function allowClient(
  deps: InteractionDeps,
  interaction: Interaction,
  decision: AllowDecision,
): Promise<void> {
  await deps.database.transaction(async (tx) => {
    const grantId = newId<GrantId>(deps.clock());
    const result = {
      login: { accountId: decision.userId, remember: false },
      consent: { grantId },
      select_account: {},
    };
    if (await recordResult(tx, deps, interaction, result)) {
      await createGrant(tx, deps, interaction, decision, grantId);
    }
  });
}
