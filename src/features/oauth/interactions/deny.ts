import { decideObject } from '../provider/object-store.ts';
import type { Interaction, InteractionDeps } from './find-interaction.ts';
import { recordResult } from './record-result.ts';

/** Denies the client or, in the same transaction, the device. */
export async function deny(deps: InteractionDeps, interaction: Interaction): Promise<void> {
  const denial = { error: 'access_denied', error_description: 'The person refused.' };
  await deps.database.transaction(async (tx) => {
    const isFirst = await recordResult(tx, deps, interaction, { ...denial });
    if (!isFirst || interaction.device === undefined) return;
    const { key, payload } = interaction.device;
    const denied = { ...payload, error: denial.error, errorDescription: denial.error_description };
    await decideObject(tx, deps, { key, payload: denied }, 'user_code');
  });
}
