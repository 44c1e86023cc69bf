import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../../test/support/database/databases.ts';
import type { Database } from '../../../foundation/db/database.ts';
import type { ApiKeyId, OrganizationId } from '../../../foundation/kernel/ids.ts';
import { type Admitted, admitUser } from '../people/admit-user.ts';
import { putMembership, removeMembership } from '../people/membership-store.ts';
import { disableUser } from '../people/user-store.ts';
import { enterOrganization, requireRole } from './enter-organization.ts';
import type { Access, Principal, Role } from './principal.ts';

const forbidden = expect.objectContaining({ status: 403, code: 'forbidden' });

const clock = (): number => 1_800_000_000_000;

const withKey = ({ user }: Admitted): Principal => ({
  userId: user.id,
  email: user.email,
  credential: { kind: 'api-key', apiKeyId: 'key' as ApiKeyId, organizationId: undefined },
  scopes: new Set(['mcp', 'api']),
});
const withGrant = ({ user }: Admitted, organizationId: OrganizationId | undefined): Principal => ({
  ...withKey({ user } as Admitted),
  credential: { kind: 'oauth', grantId: 'grant', organizationId, firstParty: false },
});

describeEachDatabase('enterOrganization', (open) => {
  let database: Database;
  let ada: Admitted;
  let bob: Admitted;
  const enter = (principal: Principal, slug?: string): Promise<Access> =>
    enterOrganization({ queries: database.queries }, { principal, membership: undefined }, slug);

  beforeAll(async () => {
    database = await open();
  });
  beforeEach(async () => {
    await database.queries.deleteFrom('users').execute();
    ada = await admitUser({ database, clock }, { email: 'ada@example.com', orgSlug: 'acme' });
    bob = await admitUser({ database, clock }, { email: 'bob@example.com', orgSlug: 'globex' });
  });

  it('gives the holder of a key access to the organization that the request names', async () => {
    expect(await enter(withKey(ada), 'acme')).toMatchObject({
      scope: { organizationId: ada.organization.id, orgSlug: 'acme', callerId: ada.user.id },
      role: 'owner',
    });
  });

  it.each([undefined, ''])(
    'explains how to name the organization for a key with the slug %j',
    async (slug) => {
      await expect(enter(withKey(ada), slug)).rejects.toEqual(
        expect.objectContaining({
          status: 400,
          code: 'org_slug_required',
          message: expect.stringContaining('?orgSlug='),
        }),
      );
    },
  );

  it('returns the same error for a foreign organization, an unknown one and an invalid slug', async () => {
    const slugs = [
      'globex',
      'nowhere',
      'ACME',
      'acme ',
      ' acme',
      'acme\u0000',
      "a' or '1'='1",
      'api',
      '-',
      'ä',
    ];
    const answers = await Promise.all(
      slugs.map((slug) => enter(withKey(ada), slug).then(String, (error: unknown) => error)),
    );
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]).toEqual(forbidden);
  });

  it('refuses a removed member with the next request', async () => {
    const member = { organizationId: ada.organization.id, userId: bob.user.id };
    await database.transaction((tx) => putMembership(tx, { ...member, role: 'member' }, 0));
    expect((await enter(withKey(bob), 'acme')).role).toBe('member');
    expect(await database.transaction((tx) => removeMembership(tx, member))).toBe(true);
    await expect(enter(withKey(bob), 'acme')).rejects.toEqual(forbidden);
  });

  it('refuses a disabled user with any credential', async () => {
    await disableUser(database.queries, ada.user.id, 1);
    await expect(enter(withKey(ada), 'acme')).rejects.toEqual(forbidden);
    await expect(enter(withGrant(ada, ada.organization.id))).rejects.toEqual(forbidden);
  });

  it('gives a bound grant access to its organization, with or without the slug', async () => {
    const principal = withGrant(ada, ada.organization.id);
    expect((await enter(principal)).scope.orgSlug).toBe('acme');
    expect((await enter(principal, 'acme')).scope.orgSlug).toBe('acme');
  });

  it('limits a grant to its organization even if its user is a member of another', async () => {
    const member = { organizationId: bob.organization.id, userId: ada.user.id, role: 'admin' as const };
    await database.transaction((tx) => putMembership(tx, member, 0));
    await expect(enter(withGrant(ada, ada.organization.id), 'globex')).rejects.toEqual(forbidden);
  });

  it('refuses a grant whose user is no longer a member of its organization', async () => {
    await expect(enter(withGrant(ada, bob.organization.id))).rejects.toEqual(forbidden);
  });

  it.each([undefined, 'acme', 'nowhere', '\u0000'])(
    'tells the holder of an unbound grant to reconnect (slug %j)',
    async (slug) => {
      await expect(enter(withGrant(ada, undefined), slug)).rejects.toEqual(
        expect.objectContaining({
          status: 403,
          code: 'grant_unbound',
          message: expect.stringMatching(/disconnect.*connect it again.*choose an organization/),
        }),
      );
    },
  );
});

describe('requireRole', () => {
  it.each<[Role, Role, boolean]>([
    ['member', 'member', true],
    ['member', 'admin', false],
    ['admin', 'admin', true],
    ['admin', 'owner', false],
    ['owner', 'admin', true],
  ])('checks the role %s against the required role %s: allowed is %s', (role, needed, allowed) => {
    const access = { role } as Access;
    if (allowed) expect(() => requireRole(access, needed)).not.toThrow();
    else expect(() => requireRole(access, needed)).toThrow(forbidden);
  });
});
