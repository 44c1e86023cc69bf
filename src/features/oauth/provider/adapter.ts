import { type Adapter, type AdapterPayload, errors, Provider } from 'oidc-provider';
import type { Config } from '../../../foundation/config/config.ts';
import type { Database } from '../../../foundation/db/database.ts';
import { Unavailable } from '../../../foundation/kernel/errors.ts';
import { findDocumentedClient, keepGrantedClient } from '../client-documents/client-copy.ts';
import { isClientIdUrl } from '../client-documents/client-id-url.ts';
import type { ClientDocuments } from '../client-documents/open-client-documents.ts';
import { findGrantPayload, prolongGrant } from '../grants/grant-store.ts';
import { revokeGrantFor } from '../grants/revoke-grant.ts';
import { codeSeconds } from '../lifetimes.ts';
import { unusedClientSeconds } from '../registration/client-lifetime.ts';
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
  readonly clientDocuments: Config['clientDocuments'];
  readonly resources: readonly string[];
  readonly refreshGraceMs: number;
  /** Counts a poll for an undecided device code. @throws SlowDown for a client that polls too often */
  countPoll(deviceKey: string): Promise<void>;
}

/** Creates the library's storage adapters, one per model. */
export function createAdapter(deps: AdapterDeps): (model: string) => Adapter {
  return (model) => explained(adapterOf(deps, model));
}

function adapterOf(deps: AdapterDeps, model: string): Adapter {
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
}

/**
 * Makes the library answer 503 with a reason and Retry-After while the database is unavailable or full, in place of a
 * bare 500.
 */
function explained(adapter: Adapter): Adapter {
  return {
    upsert: (...given) => adapter.upsert(...given).catch(explain),
    find: (id) => adapter.find(id).catch(explain),
    findByUid: (uid) => adapter.findByUid(uid).catch(explain),
    findByUserCode: (code) => adapter.findByUserCode(code).catch(explain),
    consume: (id) => adapter.consume(id).catch(explain),
    destroy: (id) => adapter.destroy(id).catch(explain),
    revokeByGrantId: (id) => adapter.revokeByGrantId(id).catch(explain),
  };
}

function explain(error: unknown): never {
  if (!(error instanceof Unavailable)) throw error;
  const unavailable = new errors.TemporarilyUnavailable(error.message, { cause: error });
  unavailable.statusCode = error.status;
  if (error.retryAfter !== undefined) Provider.ctx?.set('retry-after', String(error.retryAfter));
  throw unavailable;
}

/**
 * Adapter that stores nothing. The library's browser session uses it, because each authorization identifies the user
 * anew.
 */
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
 * Keeps a decided interaction for the lifetime of the authorization code. A browser that submits its form twice, or
 * loses the response, is then redirected to the client again.
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

/** Ensures that a code works once, also for concurrent requests (RFC 6749 section 4.1.2). */
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
 * Limits how often a client polls an undecided device code (RFC 8628 section 3.5), and returns expired codes, because
 * the library reports expiry by `exp`. An expired code has no other use: the device page does not find it.
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
 * Stores registered clients as metadata alone, without the members that the library adds to tokens, and reads clients
 * with a URL as id from their documents. A registration expires after a day unless a grant extends it.
 */
function clientAdapter(deps: AdapterDeps): Adapter {
  const { queries } = deps.database;
  const clients = objectAdapter(deps, 'Client');
  return {
    ...clients,
    upsert: (id, payload) => clients.upsert(id, payload, unusedClientSeconds),
    async find(id) {
      if (isClientIdUrl(id)) return findDocumentedClient(deps, id, Provider.ctx?.ip);
      const found = await findObject(queries, deps, { key: objectKey(deps, 'Client', id) });
      return found?.payload;
    },
  };
}

/**
 * Rotates refresh tokens. Reuse of a consumed token revokes its grant, except within REFRESH_GRACE by the same client,
 * because editors refresh one token from several processes at once. A token that another client presents has leaked.
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
      const otherClient = presenter?.route === 'token' && presenter.client?.clientId !== token.clientId;
      if (otherClient && token.grantId !== undefined) {
        await revokeGrantById(deps, token.grantId);
        return undefined;
      }
      const inGrace = token.consumed !== undefined && deps.clock() - token.consumed < deps.refreshGraceMs;
      return inGrace ? { ...token, consumed: undefined } : token;
    },
  };
}

/** Stores a refresh token and extends its grant, so that a client that keeps refreshing stays connected. */
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
    const client = Provider.ctx?.oidc.client;
    if (client !== undefined) await keepGrantedClient(tx, deps, client, expiresAt);
  });
}

/** Reads and revokes grants. They are created when a user allows an authorization (`interactions/`). */
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
