import type { Queries } from '../../../foundation/db/database.ts';
import { type AuditEventId, newId, type OrganizationId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { type Page, type PageRequest, pageOf, startAfter } from '../../../foundation/kernel/wire/page.ts';
import type { User } from '../people/user.ts';
import type { AuditEventRow } from '../tables.ts';
import type { AuditActor, AuditEvent } from './audit.ts';

export interface AuditEntry {
  /** `null` for an event without an organization, such as a sign-in or a disabled user. */
  readonly organizationId: OrganizationId | null;
  readonly actor: AuditActor;
  /** `<noun>.<past participle>`, such as `member.removed`. */
  readonly action: string;
  readonly target?: string;
  /** Must not contain secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * Adds an entry to the audit log. Call it in the transaction of the recorded change, so that both commit or neither
 * does.
 */
export async function recordAudit(tx: Queries, entry: AuditEntry, now: number): Promise<void> {
  const { actor } = entry;
  const person = actor.kind === 'user' ? actor : undefined;
  await tx
    .insertInto('audit_events')
    .values({
      id: newId<AuditEventId>(now),
      organization_id: entry.organizationId,
      actor: actor.kind,
      user_id: person?.userId ?? null,
      email: person?.email ?? null,
      credential: person?.credential ?? null,
      action: entry.action,
      target: entry.target ?? null,
      details: JSON.stringify(entry.details ?? {}),
      address: person?.address ?? null,
      created_at: now,
    })
    .execute();
}

/** Records a new account. `actor` is the creator of the account, or the new user if there is no other. */
export async function recordNewUser(
  tx: Queries,
  { user, actor }: { readonly user: Pick<User, 'id' | 'email'>; readonly actor: AuditActor },
  now: number,
): Promise<void> {
  const details = { email: user.email };
  const entry = { organizationId: null, actor, action: 'user.created', target: user.id, details };
  await recordAudit(tx, entry, now);
}

/** Lists the audit events of the organization, newest first. @throws InvalidInput for an invalid limit or cursor */
export async function listAudit(
  queries: Queries,
  scope: OrgScope,
  request: PageRequest = {},
): Promise<Page<AuditEvent>> {
  const { limit, after: before } = startAfter(request);
  let query = queries
    .selectFrom('audit_events')
    .selectAll()
    .where('organization_id', '=', scope.organizationId)
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (before !== undefined) query = query.where('id', '<', before);
  return pageOf((await query.execute()).map(toEvent), limit);
}

/** Counts the events of one action in an organization since a time. */
export async function countAudit(
  queries: Queries,
  { organizationId }: Pick<OrgScope, 'organizationId'>,
  action: string,
  since: number,
): Promise<number> {
  const { count } = await queries
    .selectFrom('audit_events')
    .where('organization_id', '=', organizationId)
    .where('action', '=', action)
    .where('created_at', '>=', since)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

function toEvent(row: AuditEventRow): AuditEvent {
  return {
    id: row.id as AuditEventId,
    at: row.created_at,
    actor: {
      kind: row.actor,
      userId: row.user_id ?? undefined,
      email: row.email ?? undefined,
      credential: row.credential ?? undefined,
    },
    action: row.action,
    target: row.target ?? undefined,
    details: JSON.parse(row.details) as Record<string, unknown>,
    address: row.address ?? undefined,
  };
}
