import { NotFound } from '../../../foundation/kernel/errors.ts';
import { type GrantId, newId } from '../../../foundation/kernel/ids.ts';
import type { AllowDecision } from '../authorization-server.ts';
import { decideObject, type StoredObject } from '../provider/object-store.ts';
import { createGrant } from './create-grant.ts';
import { scopesOf } from './describe-interaction.ts';
import type { Interaction, InteractionDeps } from './find-interaction.ts';
import { recordResult } from './record-result.ts';

/**
 * Allows a device that polls the token endpoint. The grant, the result and the device code change in one transaction.
 */
export async function allowDevice(
  deps: InteractionDeps,
  interaction: Interaction,
  { key, payload }: StoredObject,
  decision: AllowDecision,
): Promise<void> {
  await deps.database.transaction(async (tx) => {
    if (!(await recordResult(tx, deps, interaction, {}))) return;
    const grantId = newId<GrantId>(deps.clock());
    const allowed = {
      ...payload,
      accountId: decision.userId,
      grantId,
      scope: scopesOf(interaction.params).join(' '),
      resource: interaction.params['resource'],
      authTime: Math.floor(deps.clock() / 1000),
    };
    if (!(await decideObject(tx, deps, { key, payload: allowed }, 'user_code'))) {
      throw new NotFound('This code was already answered. Start again on the device.');
    }
    await createGrant(tx, deps, interaction, decision, grantId);
  });
}
