import type { Queries } from '../../../foundation/db/database.ts';
import {
  decideObject,
  type ObjectDeps,
  type StoredObject,
  type StoredPayload,
} from '../provider/object-store.ts';
import type { Interaction } from './find-interaction.ts';

/** The result of an interaction, in the form that the library reads. */
export interface InteractionResult {
  readonly login?: { readonly accountId: string };
  readonly error?: string;
}

/** `undefined` until a person has decided. */
export function resultOf({ payload }: StoredObject): InteractionResult | undefined {
  return payload['result'] as InteractionResult | undefined;
}

/** Returns true for the first result. A second one, from another click or tab, changes nothing. */
export function recordResult(
  tx: Queries,
  deps: ObjectDeps,
  { stored: { key, payload } }: Interaction,
  result: StoredPayload,
): Promise<boolean> {
  return decideObject(tx, deps, { key, payload: { ...payload, result } }, 'consumed_at');
}
