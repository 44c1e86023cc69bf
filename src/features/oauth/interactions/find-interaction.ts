import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import type { Database } from '../../../foundation/db/database.ts';
import { NotFound } from '../../../foundation/kernel/errors.ts';
import { expiredAuthorization } from '../expired-authorization.ts';
import {
  findObject,
  type ObjectDeps,
  objectKey,
  type StoredObject,
  type StoredPayload,
} from '../provider/object-store.ts';

export interface InteractionDeps extends ObjectDeps {
  readonly database: Database;
  readonly baseUrl: string;
  readonly accessTokenTtlMs: number;
  provider(): Provider;
}

/** An authorization that a browser started, whether or not a person has decided it. */
export interface Interaction {
  readonly uid: string;
  readonly stored: StoredObject;
  /** The parameters of the authorization request. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly client: NonNullable<Awaited<ReturnType<Provider['Client']['find']>>>;
  /** The device code, if a device requested the authorization. */
  readonly device: StoredObject | undefined;
}

/** Finds the interaction by the cookie of this page. Another browser has no such cookie. */
export async function findInteraction(
  deps: InteractionDeps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Interaction | undefined> {
  const provider = deps.provider();
  const { cookies } = provider.createContext(request, response);
  const uid = cookies.get(provider.cookieName('interaction'), { signed: true });
  if (uid === undefined || !isInPath(request, uid)) return undefined;
  const { queries } = deps.database;
  const stored = await findObject(queries, deps, { key: objectKey(deps, 'Interaction', uid) });
  if (stored === undefined) return undefined;
  const params = stored.payload['params'] as Interaction['params'];
  const client = await provider.Client.find(String(params['client_id']));
  const device = await findDevice(deps, stored.payload);
  if (client === undefined || device === 'expired') return undefined;
  return { uid, stored, params, client, device };
}

/** @throws NotFound if this browser has no interaction at this address */
export async function requireInteraction(
  deps: InteractionDeps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Interaction> {
  const interaction = await findInteraction(deps, request, response);
  if (interaction !== undefined) return interaction;
  throw new NotFound(expiredAuthorization);
}

function isInPath({ url = '' }: IncomingMessage, uid: string): boolean {
  return url.split('?', 1)[0]?.split('/').includes(uid) === true;
}

async function findDevice(
  deps: InteractionDeps,
  { deviceCode: key }: StoredPayload,
): Promise<StoredObject | 'expired' | undefined> {
  if (typeof key !== 'string') return undefined;
  return (await findObject(deps.database.queries, deps, { key })) ?? 'expired';
}
