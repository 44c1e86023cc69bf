import { beforeEach, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../../test/support/database/databases.ts';
import {
  host,
  openTestPeople,
  type Person,
  type TestPeople,
} from '../../../../test/support/identity/people.ts';
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

describeEachDatabase('an invitation of a member', (open) => {
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
  const openInvitations = async () =>
    (await listInvitations(database.queries, owner.scope, {}, people.now())).items;
  const state = async (token: string) =>
    (await inspectInvitation(database.queries, token, people.deps.clock)).state;
  const revoke = (by: Person, id: InvitationId) => revokeInvitation(people.deps, owner.scope, by.actor, id);

  it('has a link for the address that is valid for seven days and stored only as a hash', async () => {
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
    expect(await openInvitations()).toEqual([invitation]);
    const rows = await database.queries.selectFrom('invitations').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(await people.audit()).toEqual(['invitation.created by admin@example.com']);
  });

  it('requires an admin, and an owner for the role owner', async () => {
    await expect(invite(member)).rejects.toEqual(forbidden);
    await expect(invite(admin, 'owner')).rejects.toEqual(forbidden);
    const outsider = await people.join('outsider@example.com', 'owner', { orgSlug: 'globex' });
    await expect(invite(outsider)).rejects.toEqual(forbidden);
    expect(await openInvitations()).toEqual([]);
    await invite(owner, 'owner');
    await people.invite(host, 'other@example.com', 'owner', owner.scope);
    expect(await openInvitations()).toHaveLength(2);
  });

  it('is checked against the current role of the inviter', async () => {
    await changeRole(people.deps, owner.scope, owner.actor, { userId: admin.userId, role: 'member' });
    await expect(invite(admin)).rejects.toEqual(forbidden);
  });

  it('revokes the previous invitation', async () => {
    const { token } = await invite(admin);
    const second = await invite(admin, 'admin');
    expect(await state(token)).toBe('expired');
    expect(await openInvitations()).toEqual([second.invitation]);
  });

  it('by an admin does not revoke an invitation as owner', async () => {
    const { token } = await invite(owner, 'owner');
    await expect(invite(admin, 'member')).rejects.toEqual(forbidden);
    expect(await state(token)).toBe('valid');
    await invite(owner, 'member');
    expect(await state(token)).toBe('expired');
  });

  it('is open once after several concurrent requests', async () => {
    const made = await Promise.all([1, 2, 3, 4].map(() => invite(admin)));
    expect(await openInvitations()).toHaveLength(1);
    const states = await Promise.all(made.map(({ token }) => state(token)));
    expect(states.filter((one) => one === 'valid')).toHaveLength(1);
  });

  it('is refused for a member and for an invalid address', async () => {
    await expect(invite(admin, 'admin', member.email)).rejects.toEqual(
      expect.objectContaining({ status: 409 }),
    );
    await expect(invite(admin, 'member', 'nobody')).rejects.toEqual(expect.objectContaining({ status: 400 }));
    expect(await openInvitations()).toEqual([]);
  });

  it('has a limit that ignores expired invitations', async () => {
    const { open: max, lifetimeMs } = invitationLimits;
    const expires_at = people.now() + lifetimeMs;
    const row = { organization_id: owner.scope.organizationId, role: 'member' as const, invited_by: null };
    const rest = { expires_at, accepted_at: null, revoked_at: null, created_at: people.now() };
    const rows = Array.from({ length: max }, (_, index) => {
      return { id: newId(), email: `${index}@example.com`, hash: `${index}`, ...row, ...rest };
    });
    for (let first = 0; first < max; first += 50) {
      await database.queries
        .insertInto('invitations')
        .values(rows.slice(first, first + 50))
        .execute();
    }
    await expect(invite(admin)).rejects.toEqual(expect.objectContaining({ status: 409 }));
    people.advance(lifetimeMs);
    await invite(admin);
  });

  it('is revoked once by an admin, and by an owner for the role owner', async () => {
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

  it('is revoked only in its own organization; foreign ones are reported as unknown', async () => {
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
