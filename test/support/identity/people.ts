import { sql } from 'kysely';
import { vi } from 'vitest';
import type { Role } from '../../../src/features/identity/access/principal.ts';
import { type AuditActor, actorOfSession } from '../../../src/features/identity/audit/audit.ts';
import {
  type CreatedInvitation,
  inviteMember,
} from '../../../src/features/identity/invitations/invite-member.ts';
import { type Admitted, admitUser } from '../../../src/features/identity/people/admit-user.ts';
import { disableUser } from '../../../src/features/identity/people/user-store.ts';
import type { PasswordHashing } from '../../../src/features/identity/sign-in/password-hashing.ts';
import type { SignInDeps } from '../../../src/features/identity/sign-in/sign-in.ts';
import type { Database } from '../../../src/foundation/db/database.ts';
import type { OrganizationId, UserId } from '../../../src/foundation/kernel/ids.ts';
import type { OrgScope } from '../../../src/foundation/kernel/org-scope.ts';
import { invalidField } from '../../../src/foundation/kernel/wire/invalid-field.ts';

export const host: AuditActor = { kind: 'host' };

export interface Person {
  readonly userId: UserId;
  readonly email: string;
  readonly actor: AuditActor;
  /** Scope of the organization that they joined. */
  readonly scope: OrgScope;
}

/** A database with people and a clock that only the test advances. */
export interface TestPeople {
  readonly deps: SignInDeps;
  readonly hashing: TestHashing;
  advance(ms: number): void;
  now(): number;
  /** Adds a person as the operator of the host. Default organization: `acme`. */
  join(email: string, role: Role, request?: { orgSlug?: string; password?: string }): Promise<Person>;
  disable(person: Person): Promise<void>;
  invite(by: AuditActor, email: string, role: Role, scope: OrgScope): Promise<CreatedInvitation>;
  role(person: { readonly email: string }, scope: OrgScope): Promise<Role | undefined>;
  passwordHash(email: string): Promise<string | null | undefined>;
  sessions(): Promise<number>;
  /** Returns `<action> by <email or kind>` of the events since the last call, sorted. */
  audit(): Promise<readonly string[]>;
}

/** Fake hashing that counts its calls and can run work in between, as a queue allows. */
export interface TestHashing extends PasswordHashing {
  readonly count: () => number;
  /** Runs `work` during the next hash or check, before its result. */
  meanwhile(work: () => Promise<void>): void;
}

export const testHash = (password: string): string => `hash of ${password}`;

export function testHashing(): TestHashing {
  let count = 0;
  let pending: (() => Promise<void>) | undefined;
  const runPending = async (): Promise<void> => {
    count += 1;
    const work = pending;
    pending = undefined;
    await work?.();
  };
  return {
    count: () => count,
    meanwhile: (work) => {
      pending = work;
    },
    hash: async (password) => {
      await runPending();
      if (password.length < 12) throw invalidField('password', 'is too short');
      return testHash(password);
    },
    verify: async (password, encoded) => {
      await runPending();
      return encoded === testHash(password);
    },
  };
}

export function openTestPeople(database: Database): TestPeople {
  let time = 1_800_000_000_000;
  const reported = new Set<string>();
  const hashing = testHashing();
  const deps: SignInDeps = { database, clock: () => time, hashing };
  const { queries } = database;
  const join: TestPeople['join'] = async (email, role, { orgSlug = 'acme', password } = {}) => {
    const { user, organization } = await admitUser(deps, { email, orgSlug, role });
    if (password !== undefined) {
      const change = { password_hash: testHash(password) };
      await queries.updateTable('users').set(change).where('id', '=', user.id).execute();
    }
    return personOf({ user, organization });
  };
  return {
    deps,
    hashing,
    advance: (ms) => {
      time += ms;
    },
    now: () => time,
    join,
    disable: ({ userId }) => disableUser(queries, userId, time),
    invite: (by, email, role, scope) => inviteMember(deps, scope, by, { email, role }),
    role: async ({ email }, { organizationId }) => {
      const row = await queries
        .selectFrom('memberships as m')
        .innerJoin('users as u', 'u.id', 'm.user_id')
        .where('u.email', '=', email)
        .where('m.organization_id', '=', organizationId)
        .select('m.role')
        .executeTakeFirst();
      return row?.role;
    },
    passwordHash: async (email) => {
      const query = queries.selectFrom('users').select('password_hash').where('email', '=', email);
      return (await query.executeTakeFirst())?.password_hash;
    },
    sessions: async () => (await queries.selectFrom('sessions').select('hash').execute()).length,
    audit: async () => {
      const rows = await queries.selectFrom('audit_events').selectAll().execute();
      const news = rows.filter(({ id }) => !reported.has(id));
      for (const { id } of news) reported.add(id);
      return news.map(({ action, actor, email }) => `${action} by ${email ?? actor}`).toSorted();
    },
  };
}

function personOf({ user, organization }: Pick<Admitted, 'user' | 'organization'>): Person {
  const organizationId: OrganizationId = organization.id;
  return {
    userId: user.id,
    email: user.email,
    actor: actorOfSession({ userId: user.id, email: user.email }),
    scope: { organizationId, orgSlug: organization.slug },
  };
}

/** Waits until a transaction of this Postgres database waits for a lock. */
export async function waitingForLock({ queries }: Database): Promise<void> {
  await vi.waitFor(async () => {
    const { rows } = await sql`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    `.execute(queries);
    if (rows.length === 0) throw new Error('no transaction waits for a lock');
  }, 30_000);
}
