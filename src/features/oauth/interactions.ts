import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import type { Database } from '../../foundation/db/database.ts';
import { Forbidden, NotFound } from '../../foundation/kernel/errors.ts';
import { type GrantId, newId } from '../../foundation/kernel/ids.ts';
import { actorOfSession } from '../identity/audit/audit.ts';
import { recordAudit } from '../identity/audit/audit-store.ts';
import { findMembership, lockOrganization } from '../identity/people/membership-store.ts';
import type { AllowDecision, AuthorizationServer, PendingAuthorization } from './authorization-server.ts';
import { oauthPaths } from './endpoints.ts';
import { expiredAuthorization } from './expired-authorization.ts';
import { insertGrant } from './grants/grant-store.ts';
import { untilFirstTokenMs } from './lifetimes.ts';
import { pendingRedirect } from './pending-redirect.ts';
import { setBrowserCookie } from './provider/browser-cookie.ts';
import {
  decideObject,
  findObject,
  type ObjectDeps,
  objectKey,
  type StoredObject,
  type StoredPayload,
} from './provider/object-store.ts';
import { keepClient } from './registration/client-lifetime.ts';
import { cleanClientName } from './registration/client-name.ts';
import { supportedScopes } from './supported.ts';

export interface InteractionDeps extends ObjectDeps {
  readonly database: Database;
  readonly baseUrl: string;
  readonly accessTokenTtlMs: number;
  provider(): Provider;
}

interface Begun {
  readonly uid: string;
  readonly interaction: StoredObject;
  readonly params: Readonly<Record<string, unknown>>;
  readonly client: NonNullable<Awaited<ReturnType<Provider['Client']['find']>>>;
  /** The device's code, where a device asks. */
  readonly device: StoredObject | undefined;
}

/** What the page that asks a person is built on. */
export function interactions(
  deps: InteractionDeps,
): Pick<AuthorizationServer, 'pending' | 'allow' | 'deny' | 'answered'> {
  return {
    async pending(request, response) {
      const begun = await findBegun(deps, request, response);
      return begun === undefined || begun.interaction.consumedAt !== undefined ? undefined : describe(begun);
    },
    async allow(request, response, decision) {
      const begun = await requireBegun(deps, request, response);
      if (begun.device === undefined) await allowClient(deps, begun, decision);
      else await allowDevice(deps, begun, begun.device, decision);
      return leadOn(deps, begun, request, response);
    },
    async deny(request, response) {
      const begun = await requireBegun(deps, request, response);
      await denyClientOrDevice(deps, begun);
      return leadOn(deps, begun, request, response);
    },
    async answered(request, response, userId) {
      const begun = await findBegun(deps, request, response);
      const result = begun && resultOf(begun.interaction);
      if (begun === undefined || result === undefined) return undefined;
      const theirs = result.login === undefined || result.login.accountId === userId;
      return theirs ? leadOn(deps, begun, request, response) : undefined;
    },
  };
}

interface Result {
  readonly login?: { readonly accountId: string };
  readonly error?: string;
}

/** `undefined` until a person has answered. */
function resultOf({ payload }: StoredObject): Result | undefined {
  return payload['result'] as Result | undefined;
}

/** Where the browser goes after the answer, whichever of several clicks or tabs gave it. */
async function leadOn(
  deps: InteractionDeps,
  { uid, interaction, client, device }: Begun,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<string> {
  const { baseUrl } = deps;
  if (device !== undefined) {
    const answered = await findObject(deps.database.queries, deps, { key: interaction.key });
    if (answered && resultOf(answered)?.error !== undefined) return `${baseUrl}${oauthPaths.device}?denied=1`;
    const done = new URL(baseUrl + oauthPaths.deviceDone);
    done.searchParams.set('client', client.clientId);
    return done.href;
  }
  const returnTo = String(interaction.payload['returnTo']);
  // The library takes this cookie back when it has gone on, though the browser may have left that answer unread.
  const resume = { name: 'resume', uid, path: new URL(returnTo).pathname } as const;
  setBrowserCookie({ provider: deps.provider(), baseUrl }, request, response, resume);
  return returnTo;
}

async function denyClientOrDevice(deps: InteractionDeps, begun: Begun): Promise<void> {
  const refused = { error: 'access_denied', error_description: 'The person refused.' };
  await deps.database.transaction(async (tx) => {
    const first = await answer(tx, deps, begun, { ...refused });
    if (!first || begun.device === undefined) return;
    const { key, payload } = begun.device;
    const told = { ...payload, error: refused.error, errorDescription: refused.error_description };
    await decideObject(tx, deps, { key, payload: told }, 'user_code');
  });
}

/** The interaction that the cookie of this very page names: another browser has no such cookie. */
async function findBegun(
  deps: InteractionDeps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Begun | undefined> {
  const provider = deps.provider();
  const { cookies } = provider.createContext(request, response);
  const uid = cookies.get(provider.cookieName('interaction'), { signed: true });
  if (uid === undefined || !isAbout(request, uid)) return undefined;
  const { queries } = deps.database;
  const interaction = await findObject(queries, deps, { key: objectKey(deps, 'Interaction', uid) });
  if (interaction === undefined) return undefined;
  const params = interaction.payload['params'] as Begun['params'];
  const client = await provider.Client.find(String(params['client_id']));
  const device = await findDevice(deps, interaction.payload);
  if (client === undefined || device === 'gone') return undefined;
  return { uid, interaction, params, client, device };
}

function isAbout({ url = '' }: IncomingMessage, uid: string): boolean {
  return url.split('?', 1)[0]?.split('/').includes(uid) === true;
}

async function findDevice(
  deps: InteractionDeps,
  { deviceCode: key }: StoredPayload,
): Promise<StoredObject | 'gone' | undefined> {
  if (typeof key !== 'string') return undefined;
  return (await findObject(deps.database.queries, deps, { key })) ?? 'gone';
}

async function requireBegun(
  deps: InteractionDeps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Begun> {
  const begun = await findBegun(deps, request, response);
  if (begun !== undefined) return begun;
  throw new NotFound(expiredAuthorization);
}

function describe(begun: Begun): PendingAuthorization {
  const { client, device, params } = begun;
  const { redirect, formAction } = pendingRedirect(params['redirect_uri'], device?.payload);
  return {
    uid: begun.uid,
    client: {
      id: client.clientId,
      name: nameOf(client),
      ...(client.clientUri !== undefined && { uri: client.clientUri }),
    },
    redirect,
    formAction,
    scopes: scopesOf(params),
  };
}

function nameOf({ clientName, clientId }: Begun['client']): string {
  return cleanClientName(clientName ?? '') ?? cleanClientName(clientId) ?? 'unnamed';
}

function scopesOf({ scope }: Begun['params']): readonly string[] {
  const asked = typeof scope === 'string' ? scope.split(' ') : [];
  return supportedScopes.filter((each) => asked.includes(each));
}

/** The grant and the answer are one transaction: there is never one without the other, nor a second grant. */
async function allowClient(deps: InteractionDeps, begun: Begun, decision: AllowDecision): Promise<void> {
  await deps.database.transaction(async (tx) => {
    const grantId = newId<GrantId>(deps.clock());
    const result = {
      login: { accountId: decision.userId, remember: false },
      consent: { grantId },
      select_account: {},
    };
    if (await answer(tx, deps, begun, result)) await grant(tx, deps, begun, decision, grantId);
  });
}

async function allowDevice(
  deps: InteractionDeps,
  begun: Begun,
  { key, payload }: StoredObject,
  decision: AllowDecision,
): Promise<void> {
  await deps.database.transaction(async (tx) => {
    if (!(await answer(tx, deps, begun, {}))) return;
    const grantId = newId<GrantId>(deps.clock());
    const told = {
      ...payload,
      accountId: decision.userId,
      grantId,
      scope: scopesOf(begun.params).join(' '),
      resource: begun.params['resource'],
      authTime: Math.floor(deps.clock() / 1000),
    };
    if (!(await decideObject(tx, deps, { key, payload: told }, 'user_code'))) throw gone();
    await grant(tx, deps, begun, decision, grantId);
  });
}

function gone(): NotFound {
  return new NotFound('This code was answered already: start again on the device.');
}

/** True for the first answer; a second one, from another click or tab, changes nothing. */
function answer(
  tx: Database['queries'],
  deps: InteractionDeps,
  { interaction: { key, payload } }: Begun,
  result: StoredPayload,
): Promise<boolean> {
  return decideObject(tx, deps, { key, payload: { ...payload, result } }, 'consumed_at');
}

async function grant(
  tx: Database['queries'],
  deps: InteractionDeps,
  { client, params }: Begun,
  { userId, organizationId, address }: AllowDecision,
  id: GrantId,
): Promise<void> {
  // Asked again here: the page may have been open for long. And waited for: what ends the grants of a removed member
  // must not miss this one.
  await lockOrganization(tx, organizationId);
  const membership = await findMembership(tx, userId, { slug: undefined, organizationId });
  if (membership === undefined) {
    throw new Forbidden('forbidden', 'You are not a member of that organization: choose another one.');
  }
  const now = deps.clock();
  // A code that is never redeemed leaves no client connected: each refresh token prolongs the grant.
  const unrefreshed = client.grantTypeAllowed('refresh_token') ? 0 : deps.accessTokenTtlMs;
  const expiresAt = now + untilFirstTokenMs + unrefreshed;
  await insertGrant(tx, {
    id,
    user_id: userId,
    organization_id: organizationId,
    client_id: client.clientId,
    client_name: nameOf(client),
    scopes: scopesOf(params).join(' '),
    last_used_at: null,
    expires_at: expiresAt,
    revoked_at: null,
    created_at: now,
  });
  await keepClient(tx, objectKey(deps, 'Client', client.clientId), expiresAt);
  const { email } = await tx
    .selectFrom('users')
    .select('email')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  const details = { client: nameOf(client), clientId: client.clientId, scopes: scopesOf(params) };
  const actor = actorOfSession({ userId, email, address });
  await recordAudit(tx, { organizationId, actor, action: 'grant.created', target: id, details }, now);
}
