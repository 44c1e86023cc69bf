import { type Adapter, type AdapterPayload, errors, Provider } from 'oidc-provider';
import type { Database } from '../../../foundation/db/database.ts';
import { isClientIdUrl } from '../client-documents/client-id-url.ts';
import type { ClientDocuments } from '../client-documents/open-client-documents.ts';
import { findGrantPayload, prolongGrant } from '../grants/grant-store.ts';
import { revokeGrantFor } from '../grants/revoke-grant.ts';
import { codeSeconds } from '../lifetimes.ts';
import { keepClient, unusedClientSeconds } from '../registration/client-lifetime.ts';
import {
  consumeObject,
  deleteObject,
  deleteObjectsOfGrant,
  findObject,
  findObjectOfAnyAge,
  type ObjectDeps,
  objectKey,
  putObject,
  retireObject,
  type StoredObject,
  type StoredPayload,
} from './object-store.ts';

export interface AdapterDeps extends ObjectDeps {
  readonly database: Database;
  readonly documents: ClientDocuments;
  readonly resources: readonly string[];
  readonly refreshGraceMs: number;
  /** Counts a poll for a device that nobody has decided on. @throws SlowDown for a client that asks too often */
  countPoll(deviceKey: string): Promise<void>;
}

/** What the library stores, model by model. */
export function createAdapter(deps: AdapterDeps): (model: string) => Adapter {
  return (model) => {
    switch (model) {
      case 'Session':
        return storesNothing;
      case 'Grant':
        return grantAdapter(deps);
      case 'Client':
        return clientAdapter(deps);
      case 'RefreshToken':
        return refreshTokenAdapter(deps);
      case 'AuthorizationCode':
        return codeAdapter(deps, model);
      case 'DeviceCode':
        return deviceCodeAdapter(deps);
      case 'Interaction':
        return interactionAdapter(deps);
      default:
        return objectAdapter(deps, model);
    }
  };
}

/** As it is of the library's own browser session: who is signed in is decided anew at each authorization. */
const storesNothing: Adapter = {
  upsert: async () => undefined,
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
};

function objectAdapter(deps: AdapterDeps, model: string): Adapter {
  const { queries } = deps.database;
  const keyOf = (id: string): string => objectKey(deps, model, id);
  return {
    ...storesNothing,
    upsert: (id, payload, ttl) => putObject(queries, deps, keyOf(id), { ...payload }, ttl),
    async find(id) {
      const found = await findObject(queries, deps, { key: keyOf(id) });
      return found && libraryPayload(id, found);
    },
    async consume(id) {
      await consumeObject(queries, keyOf(id), deps.clock());
    },
    destroy: (id) => deleteObject(queries, keyOf(id)),
    revokeByGrantId: (grantId) => deleteObjectsOfGrant(queries, model, grantId),
  };
}

function libraryPayload(id: string, { payload, consumedAt }: StoredObject): StoredPayload & AdapterPayload {
  return { ...payload, jti: id, ...(consumedAt !== undefined && { consumed: consumedAt }) };
}

/**
 * An answered interaction outlives its answer by as long as the code does: a browser whose form was sent twice, or lost
 * what it was answered, is led to the client again.
 */
function interactionAdapter(deps: AdapterDeps): Adapter {
  return {
    ...objectAdapter(deps, 'Interaction'),
    destroy: (id) =>
      retireObject(
        deps.database.queries,
        objectKey(deps, 'Interaction', id),
        deps.clock() + codeSeconds * 1000,
      ),
  };
}

/** A code works once, whoever else presents it at the same moment (RFC 6749 section 4.1.2). */
function codeAdapter(deps: AdapterDeps, model: string): Adapter {
  return {
    ...objectAdapter(deps, model),
    async consume(id) {
      const first = await consumeObject(deps.database.queries, objectKey(deps, model, id), deps.clock());
      if (!first) throw new errors.InvalidGrant('the code was already used');
    },
  };
}

/**
 * RFC 8628 section 3.5: who asks for a code that is undecided may do so only so often, and is told when it has expired,
 * which the library sees by `exp`. That code leads nowhere else: the page finds no expired one.
 */
function deviceCodeAdapter(deps: AdapterDeps): Adapter {
  return {
    ...codeAdapter(deps, 'DeviceCode'),
    async find(id) {
      const key = objectKey(deps, 'DeviceCode', id);
      const found = await findObjectOfAnyAge(deps.database.queries, deps, { key });
      if (found === undefined) return undefined;
      const code = libraryPayload(id, found);
      if (found.expired) return { ...code, exp: 0 };
      const undecided = code.accountId === undefined && code.error === undefined;
      if (undecided) await deps.countPoll(key);
      return code;
    },
  };
}

/**
 * Metadata alone, without the members that the library gives its tokens; or what a document says. A registration is gone
 * in a day unless a grant keeps it.
 */
function clientAdapter(deps: AdapterDeps): Adapter {
  const { queries } = deps.database;
  const clients = objectAdapter(deps, 'Client');
  return {
    ...clients,
    upsert: (id, payload) => clients.upsert(id, payload, unusedClientSeconds),
    async find(id) {
      if (isClientIdUrl(id)) return { ...(await deps.documents.find(id, Provider.ctx?.ip)) };
      const found = await findObject(queries, deps, { key: objectKey(deps, 'Client', id) });
      return found?.payload;
    },
  };
}

/**
 * Refresh tokens rotate, and a used one ends its family, but for REFRESH_GRACE it still counts for the same client:
 * editors refresh one token from several processes at once. A token in the hands of another client has leaked.
 */
function refreshTokenAdapter(deps: AdapterDeps): Adapter {
  const tokens = objectAdapter(deps, 'RefreshToken');
  return {
    ...tokens,
    upsert: (id, payload, ttl = 0) => issueRefreshToken(deps, id, { ...payload }, ttl),
    async find(id) {
      const token = await tokens.find(id);
      if (!token) return undefined;
      const presenter = Provider.ctx?.oidc;
      const stranger = presenter?.route === 'token' && presenter.client?.clientId !== token.clientId;
      if (stranger && token.grantId !== undefined) {
        await revokeGrantById(deps, token.grantId);
        return undefined;
      }
      const inGrace = token.consumed !== undefined && deps.clock() - token.consumed < deps.refreshGraceMs;
      return inGrace ? { ...token, consumed: undefined } : token;
    },
  };
}

/** The grant lives on with the token, so that a client which keeps refreshing stays connected. */
async function issueRefreshToken(
  deps: AdapterDeps,
  id: string,
  payload: StoredPayload,
  ttl: number,
): Promise<void> {
  const key = objectKey(deps, 'RefreshToken', id);
  await deps.database.transaction(async (tx) => {
    await putObject(tx, deps, key, payload, ttl);
    const expiresAt = deps.clock() + ttl * 1000;
    await prolongGrant(tx, String(payload['grantId']), expiresAt);
    await keepClient(tx, objectKey(deps, 'Client', String(payload['clientId'])), expiresAt);
  });
}

/** Grants are made where a person allows them (`interactions.ts`); the library reads and ends them. */
function grantAdapter(deps: AdapterDeps): Adapter {
  const { database, resources, clock } = deps;
  return {
    ...storesNothing,
    find: (id) => findGrantPayload(database.queries, id, { resources, now: clock() }),
    destroy: (id) => revokeGrantById(deps, id),
  };
}

function revokeGrantById(deps: AdapterDeps, id: string): Promise<void> {
  const { ctx } = Provider;
  const by = ctx?.oidc.route === 'revocation' ? 'client' : 'service';
  return revokeGrantFor(by, deps, { id, address: ctx?.ip });
}
