import { beforeEach, describe, expect, it, vi } from 'vitest';
import { describeEachDatabase, itWhen } from '../../../../test/support/database/databases.ts';
import {
  openTestPeople,
  type Person,
  type TestPeople,
  waitingForLock,
} from '../../../../test/support/identity/people.ts';
import type { Database } from '../../../foundation/db/database.ts';
import {
  type ApiKeyId,
  newId,
  type OrganizationId,
  type RepositoryId,
} from '../../../foundation/kernel/ids.ts';
import { admitCaller } from '../access/admit-caller.ts';
import type { Access } from '../access/principal.ts';
import { listAudit } from '../audit/audit-store.ts';
import { removeMember } from '../people/remove-member.ts';
import type { ApiKey } from './api-key.ts';
import { createOwnApiKey, listOwnApiKeys, revokeOwnApiKey } from './own-api-keys.ts';

const notFound = expect.objectContaining({ status: 404 });

describeEachDatabase('a caller’s own API keys', (open, dialect) => {
  let database: Database;
  let people: TestPeople;
  let ada: Person;
  let bob: Person;
  let globex: OrganizationId;

  beforeEach(async () => {
    database = await open();
    people = openTestPeople(database);
    ada = await people.join('ada@example.com', 'owner');
    bob = await people.join('bob@example.com', 'member');
    const there = await people.join('ada@example.com', 'member', { orgSlug: 'globex' });
    globex = there.scope.organizationId;
    await people.audit();
  });

  /** The access that `admitCaller` returns for a key, or for a grant bound to one organization. */
  const access = (person: Person, organizationId?: OrganizationId, firstParty = true): Access => ({
    principal: {
      userId: person.userId,
      email: person.email,
      credential:
        organizationId === undefined
          ? { kind: 'api-key', apiKeyId: newId(), organizationId }
          : { kind: 'oauth', grantId: newId(), organizationId, firstParty },
      scopes: new Set(['api'] as const),
    },
    scope: person.scope,
    role: 'member',
  });
  const remove = ({ scope, userId }: Person, meanwhile: () => Promise<void> = async () => undefined) => {
    const revokeGrants = async () => {
      await meanwhile();
      return [];
    };
    return removeMember({ ...people.deps, revokeGrants }, scope, ada.actor, userId);
  };
  const isLocked = async (id: OrganizationId) => {
    const row = database.queries.selectFrom('organizations').where('id', '=', id).select('id');
    return (await row.forUpdate().skipLocked().executeTakeFirst()) === undefined;
  };
  const create = (as: Access, limit: { readonly repositories?: readonly RepositoryId[] } = {}) =>
    createOwnApiKey(people.deps, as, { name: 'laptop', ...limit });
  const ids = async (as: Access) => (await listOwnApiKeys(people.deps, as)).items.map(({ id }) => id);
  const enter = async (apiKey: string, orgSlug: string) => {
    const deps = { queries: database.queries, clock: people.deps.clock };
    return admitCaller(deps, { authorization: `Bearer ${apiKey}`, orgSlug, scope: 'api' });
  };

  it('are valid in every organization of the caller until they are revoked, and both actions are recorded', async () => {
    const { id, apiKey } = await create(access(ada));
    expect((await enter(apiKey, 'globex')).role).toBe('member');
    await revokeOwnApiKey(people.deps, access(ada), id);
    await expect(enter(apiKey, 'acme')).rejects.toEqual(expect.objectContaining({ status: 401 }));
    expect(await people.audit()).toEqual([
      'api-key.created by ada@example.com',
      'api-key.revoked by ada@example.com',
    ]);
  });

  it('are listed without the key and its hash', async () => {
    const { apiKey, id } = await create(access(ada));
    const row = await database.queries.selectFrom('api_keys').selectAll().executeTakeFirstOrThrow();
    const { items } = await listOwnApiKeys(people.deps, access(ada));
    expect(items.map((key) => key.id)).toEqual([id]);
    const shown = JSON.stringify(items);
    for (const secret of [apiKey, apiKey.slice(4), row.hash]) expect(shown).not.toContain(secret);
  });

  it('are accessible only to their owner; keys of other users are reported as unknown', async () => {
    const { id, apiKey } = await create(access(ada));
    expect(await ids(access(bob))).toEqual([]);
    for (const other of [id, newId(), 'x', '\u0000']) {
      await expect(revokeOwnApiKey(people.deps, access(bob), other)).rejects.toEqual(notFound);
    }
    expect((await enter(apiKey, 'acme')).role).toBe('owner');
  });

  it('give access only to one organization if their creator is bound to it', async () => {
    const bound = access(ada, ada.scope.organizationId);
    const { apiKey } = await create(bound);
    expect((await enter(apiKey, 'acme')).role).toBe('owner');
    await expect(enter(apiKey, 'globex')).rejects.toEqual(expect.objectContaining({ status: 403 }));
  });

  it('that are limited to repositories are bound to the organization, and to what they read', async () => {
    const repositories = [newId<RepositoryId>()];
    const { id, apiKey, organization } = await create(access(ada), { repositories });
    expect(organization).toEqual({ slug: 'acme' });
    const entered = await enter(apiKey, 'acme');
    // Ada is the owner, which does not count.
    expect([entered.role, [...(entered.scope.repositories ?? [])]]).toEqual(['member', repositories]);
    await expect(enter(apiKey, 'globex')).rejects.toEqual(expect.objectContaining({ status: 403 }));
    const { items } = await listOwnApiKeys(people.deps, access(ada));
    expect(items).toEqual([expect.objectContaining({ id, repositories })]);
    const { items: events } = await listAudit(database.queries, ada.scope, {});
    const created = events.find(({ action }) => action === 'api-key.created');
    expect(created?.details).toEqual(expect.objectContaining({ repositories }));
    await expect(create(entered)).rejects.toEqual(
      expect.objectContaining({ status: 403, code: 'forbidden' }),
    );
  });

  it('state the organization that they are bound to', async () => {
    const bound = await create(access(ada, ada.scope.organizationId));
    const free = await create(access(ada));
    expect([bound.organization, free.organization]).toEqual([{ slug: 'acme' }, undefined]);
    const { items } = await listOwnApiKeys(people.deps, access(ada));
    expect(items.map(({ id, organization }) => [id, organization?.slug])).toEqual(
      expect.arrayContaining([
        [bound.id, 'acme'],
        [free.id, undefined],
      ]),
    );
  });

  describe('of several organizations', () => {
    let free: ApiKey;
    let inAcme: ApiKey;
    let inGlobex: ApiKey;
    beforeEach(async () => {
      free = await create(access(ada));
      inAcme = await create(access(ada, ada.scope.organizationId));
      inGlobex = await create(access(ada, globex));
    });

    it('are listed and revoked by the first-party client, except those bound to another organization', async () => {
      const commandLine = access(ada, ada.scope.organizationId);
      expect(new Set(await ids(commandLine))).toEqual(new Set([free.id, inAcme.id]));
      await revokeOwnApiKey(people.deps, commandLine, free.id);
      await revokeOwnApiKey(people.deps, commandLine, inAcme.id);
      await expect(revokeOwnApiKey(people.deps, commandLine, inGlobex.id)).rejects.toEqual(notFound);
      expect(await ids(access(ada))).toEqual([inGlobex.id]);
    });

    it.each(['a third-party client', 'a key of one organization'])(
      'are not accessible to %s',
      async (who) => {
        const { principal, ...rest } = access(ada, ada.scope.organizationId, false);
        const { organizationId } = rest.scope;
        const key = { kind: 'api-key', apiKeyId: newId<ApiKeyId>(), organizationId } as const;
        const credential = who === 'a third-party client' ? principal.credential : key;
        const bound = { principal: { ...principal, credential }, ...rest };
        expect(await ids(bound)).toEqual([inAcme.id]);
        for (const { id } of [free, inGlobex]) {
          await expect(revokeOwnApiKey(people.deps, bound, id)).rejects.toEqual(notFound);
        }
        expect(await ids(access(ada))).toHaveLength(3);
      },
    );
  });

  it('are not created for an organization from which the user was removed', async () => {
    const commandLine = access(bob, bob.scope.organizationId);
    await remove(bob);
    await expect(create(commandLine)).rejects.toEqual(expect.objectContaining({ status: 403 }));
    expect(await ids(access(bob))).toEqual([]);
  });

  itWhen(dialect === 'postgres')('are not created during the removal of the user', async () => {
    const held = Promise.withResolvers<void>();
    const removing = remove(bob, () => held.promise);
    await vi.waitFor(async () => expect(await isLocked(bob.scope.organizationId)).toBe(true), 120_000);
    const creating = create(access(bob, bob.scope.organizationId)).catch((error: unknown) => error);
    await waitingForLock(database);
    held.resolve();
    await removing;
    expect(await creating).toEqual(expect.objectContaining({ status: 403 }));
    expect(await ids(access(bob))).toEqual([]);
  });

  it('are not created by a third-party client, which would keep them after its grant has ended', async () => {
    const client = access(ada, ada.scope.organizationId, false);
    await expect(create(client)).rejects.toEqual(
      expect.objectContaining({
        status: 403,
        message: expect.stringMatching(/orgctx login.*admin key create/),
      }),
    );
    expect(await ids(access(ada))).toEqual([]);
    expect(await people.audit()).toEqual([]);
  });

  it('are listed in pages, each once, even if created in the same millisecond', async () => {
    const made = [];
    for (let n = 0; n < 5; n += 1) made.push((await create(access(ada))).id);
    const seen: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await listOwnApiKeys(people.deps, access(ada), { limit: 2, ...(cursor && { cursor }) });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(made.toSorted());
  });

  it('are revoked only once', async () => {
    const { id } = await create(access(ada));
    const revoke = () => revokeOwnApiKey(people.deps, access(ada), id);
    const outcomes = await Promise.allSettled([revoke(), revoke(), revoke()]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('are limited to two hundred per user', async () => {
    const { id, ...row } = {
      ...(await database.queries
        .selectFrom('api_keys')
        .selectAll()
        .where('id', '=', (await create(access(ada))).id)
        .executeTakeFirstOrThrow()),
    };
    const rows = Array.from({ length: 199 }, (_, index) => ({ ...row, id: newId(), hash: `${id} ${index}` }));
    for (let first = 0; first < rows.length; first += 50) {
      await database.queries
        .insertInto('api_keys')
        .values(rows.slice(first, first + 50))
        .execute();
    }
    await expect(create(access(ada))).rejects.toEqual(expect.objectContaining({ status: 409 }));
    await create(access(bob));
  });
});
