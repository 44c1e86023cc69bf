import type { AuthorizationServer } from '../authorization-server.ts';
import { claimDevice } from '../devices/claim-device.ts';
import { allowClient } from './allow-client.ts';
import { allowDevice } from './allow-device.ts';
import { deny } from './deny.ts';
import { describeInteraction } from './describe-interaction.ts';
import { findInteraction, type InteractionDeps, requireInteraction } from './find-interaction.ts';
import { resultOf } from './record-result.ts';
import { resume } from './resume.ts';

/** The operations of the consent page. Each finds the interaction of the browser first; decisions end in `resume`. */
export function interactions(
  deps: InteractionDeps,
): Pick<AuthorizationServer, 'pending' | 'allow' | 'deny' | 'answered'> {
  return {
    async pending(request, response, userId) {
      const interaction = await findInteraction(deps, request, response);
      if (interaction === undefined || interaction.stored.consumedAt !== undefined) return undefined;
      if (userId !== undefined) await claimDevice(deps, interaction, userId);
      return describeInteraction(interaction);
    },
    async allow(request, response, decision) {
      const interaction = await requireInteraction(deps, request, response);
      const { device } = interaction;
      if (device === undefined) await allowClient(deps, interaction, decision);
      else await allowDevice(deps, interaction, device, decision);
      return resume(deps, interaction, request, response);
    },
    async deny(request, response) {
      const interaction = await requireInteraction(deps, request, response);
      await deny(deps, interaction);
      return resume(deps, interaction, request, response);
    },
    async answered(request, response, userId) {
      const interaction = await findInteraction(deps, request, response);
      const result = interaction && resultOf(interaction.stored);
      if (interaction === undefined || result === undefined) return undefined;
      const isSameUser = result.login === undefined || result.login.accountId === userId;
      return isSameUser ? resume(deps, interaction, request, response) : undefined;
    },
  };
}
