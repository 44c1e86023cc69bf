import { beforeEach, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../../test/support/databases.ts';
import { host, openTestPeople, type Person, type TestPeople } from '../../../../test/support/people.ts';
import type { Database } from '../../../foundation/db/database.ts';
import type { InvitationId } from '../../../foundation/kernel/ids.ts';
import { newId } from '../../../foundation/kernel/ids.ts';
import type { Role } from '../access/principal.ts';
import { changeRole } from '../people/change-role.ts';
import { invitationLimits, invitationUrl } from './invitation.ts';
import { inspectInvitation, listInvitations } from './invitation-store.ts';
import { revokeInvitation } from './revoke-invitation.ts';

const guest = 'guest@example.com';
const forbidden = expect.objectContaining({ status: 403, code: 'forbidden' });

describeEachDatabase('inviting somebody', (open) => {
  let database: Database;
  let people: TestPeople;
  let owner: Person;
  let admin: Person;
  let member: Person;

  beforeEach(async () => {
    database = await open();
    people = openTestPeople(database);
    owner = await people.join('owner@example.com', 'owner');
    admin = await people.join('admin@example.com', 'admin');
    member = await people.join('member@example.com', 'member');
    await people.audit();
  });

  const invite = (by: Person, role: Role = 'member', email = guest) =>
    people.invite(by.actor, email, role, owner.scope);
  const openOnes = async () => (await listInvitations(database.queries, owner.scope, {}, people.now())).items;
  const state = async (token: string) =>
    (await inspectInvitation(database.queries, token, people.deps.clock)).state;
  const revoke = (by: Person, id: InvitationId) => revokeInvitation(people.deps, owner.scope, by.actor, id);

  it('gives a link for that address, good for seven days, of which only a hash is kept', async () => {
    const { invitation, token } = await invite(admin, 'admin', ' Guest@Example.com ');
    expect(invitation).toEqual({
      id: expect.any(String),
      email: guest,
      role: 'admin',
      createdAt: people.now(),
      expiresAt: people.now() + invitationLimits.lifetimeMs,
    });
    expect(invitationUrl('https://ctx.example', token)).toMatch(
      /^https:\/\/ctx\.example\/\.auth\/invitation\/[\w-]{43}$/,
    );
    expect(await openOnes()).toEqual([invitation]);
    const rows = await database.queries.selectFrom('invitations').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(await people.audit()).toEqual(['invitation.created by admin@example.com']);
  });

  it('is for admins, and as owner for owners alone', async () => {
    await expect(invite(member)).rejects.toEqual(forbidden);
    await expect(invite(admin, 'owner')).rejects.toEqual(forbidden);
    const stranger = await people.join('stranger@example.com', 'owner', { orgSlug: 'globex' });
    await expect(invite(stranger)).rejects.toEqual(forbidden);
    expect(await openOnes()).toEqual([]);
    await invite(owner, 'owner');
    await people.invite(host, 'other@example.com', 'owner', owner.scope);
    expect(await openOnes()).toHaveLength(2);
  });

  it('is judged by the role of that very moment', async () => {
    await changeRole(people.deps, owner.scope, owner.actor, { userId: admin.userId, role: 'member' });
    await expect(invite(admin)).rejects.toEqual(forbidden);
  });

  it('ends the invitation before it', async () => {
    const { token } = await invite(admin);
    const second = await invite(admin, 'admin');
    expect(await state(token)).toBe('expired');
    expect(await openOnes()).toEqual([second.invitation]);
  });

  it('ends no invitation as owner for an admin', async () => {
    const { token } = await invite(owner, 'owner');
    await expect(invite(admin, 'member')).rejects.toEqual(forbidden);
    expect(await state(token)).toBe('valid');
    await invite(owner, 'member');
    expect(await state(token)).toBe('expired');
  });

  it('leaves one open invitation of many at the same moment', async () => {
    const made = await Promise.all([1, 2, 3, 4].map(() => invite(admin)));
    expect(await openOnes()).toHaveLength(1);
    const states = await Promise.all(made.map(({ token }) => state(token)));
    expect(states.filter((one) => one === 'valid')).toHaveLength(1);
  });

  it('is refused for a member, and for what is no address', async () => {
    await expect(invite(admin, 'admin', member.email)).rejects.toEqual(
      expect.objectContaining({ status: 409 }),
    );
    await expect(invite(admin, 'member', 'nobody')).rejects.toEqual(expect.objectContaining({ status: 400 }));
    expect(await openOnes()).toEqual([]);
  });

  it('has a limit, which what is over does not count against', async () => {
    const { open: most, lifetimeMs } = invitationLimits;
    const expires_at = people.now() + lifetimeMs;
    const row = { organization_id: owner.scope.organizationId, role: 'member' as const, invited_by: null };
    const rest = { expires_at, accepted_at: null, revoked_at: null, created_at: people.now() };
    const rows = Array.from({ length: most }, (_, index) => {
      return { id: newId(), email: `${index}@example.com`, hash: `${index}`, ...row, ...rest };
    });
    for (let first = 0; first < most; first += 50) {
      await database.queries
        .insertInto('invitations')
        .values(rows.slice(first, first + 50))
        .execute();
    }
    await expect(invite(admin)).rejects.toEqual(expect.objectContaining({ status: 409 }));
    people.advance(lifetimeMs);
    await invite(admin);
  });

  it('is taken back by admins, once; as owner by owners alone', async () => {
    const { invitation, token } = await invite(admin);
    await expect(revoke(member, invitation.id)).rejects.toEqual(forbidden);
    await revoke(admin, invitation.id);
    expect(await state(token)).toBe('expired');
    await expect(revoke(admin, invitation.id)).rejects.toEqual(expect.objectContaining({ status: 404 }));
    const second = await invite(owner, 'owner');
    await expect(revoke(admin, second.invitation.id)).rejects.toEqual(forbidden);
    expect(await state(second.token)).toBe('valid');
    await revoke(owner, second.invitation.id);
  });

  it('is taken back in its own organization alone, and foreign ones are like unknown ones', async () => {
    const { invitation, token } = await invite(admin);
    const gil = await people.join('gil@example.com', 'owner', { orgSlug: 'globex' });
    const answers = await Promise.all(
      [invitation.id, newId<InvitationId>()].map((id) =>
        revokeInvitation(people.deps, gil.scope, gil.actor, id).catch((error: unknown) => error),
      ),
    );
    expect(answers[0]).toEqual(expect.objectContaining({ status: 404 }));
    expect(answers[1]).toEqual(answers[0]);
    expect(await state(token)).toBe('valid');
  });
});
