import { Forbidden } from '../../../foundation/kernel/errors.ts';
import type { UserId } from '../../../foundation/kernel/ids.ts';
import type { Interaction, InteractionDeps } from '../interactions/find-interaction.ts';
import { claimObject } from '../provider/object-store.ts';

/**
 * Claims the device code of an interaction for the first person who opens it, in any of their browsers, so that nobody
 * who reads the code off the device later can use it. Does nothing for an interaction without a device.
 * @throws Forbidden if another person has claimed it
 */
export async function claimDevice(
  { database }: Pick<InteractionDeps, 'database'>,
  { device }: Interaction,
  userId: UserId,
): Promise<void> {
  if (device === undefined || (await claimObject(database.queries, device.key, userId))) return;
  throw new Forbidden(
    'forbidden',
    'Another person has already signed in with the code of this device. If it is your device, start again there: it ' +
      'shows a new code.',
  );
}
