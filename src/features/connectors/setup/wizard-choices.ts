import { z } from 'zod';
import type { Database, Queries } from '../../../foundation/db/database.ts';
import { parseJsonColumn } from '../../../foundation/db/json-column.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import { Conflict } from '../../../foundation/kernel/errors.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { AuditActor } from '../../identity/audit/audit.ts';
import { lockConnection } from '../connections/connection-store.ts';

/** Maximum number of chosen options; the lists of a configuration file have the same limit. */
export const maxChosen = 1_000;

const chosenOption = z.object({
  kind: z.string().max(50),
  /** The key, else the id: what the scope contains. */
  ref: z.string().min(1).max(200),
  name: z.string().max(500),
});

/** An option that a person chose for the scope. */
export type ChosenOption = z.output<typeof chosenOption>;

const choices = z.object({
  repository: z.object({ githostConnectionId: z.string(), name: z.string(), branch: z.string() }).optional(),
  options: z.array(chosenOption).max(maxChosen).default([]),
});

/** The choices of people in the wizard so far. They take effect when the scope is saved as well. */
export interface WizardChoices extends z.output<typeof choices> {
  readonly revision: number;
  readonly changedBy: string | undefined;
}

const none: WizardChoices = { repository: undefined, options: [], revision: 0, changedBy: undefined };

/** Returns the choices of a connection; no choices for one without any. */
export async function readChoices(
  queries: Queries,
  { organizationId }: OrgScope,
  id: string,
): Promise<WizardChoices> {
  const row = await queries
    .selectFrom('connection_choices')
    .selectAll()
    .where('connection_id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  const read = row && parseJsonColumn(choices, row.choices);
  return row && read ? { ...read, revision: row.revision, changedBy: row.changed_by ?? undefined } : none;
}

/**
 * Changes the choices of a connection. `revision` is that of the choices that the person saw.
 * @throws NotFound; Conflict if somebody else changed them meanwhile
 */
export async function changeChoices(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  scope: OrgScope,
  actor: AuditActor,
  { id, revision }: { readonly id: ConnectionId; readonly revision: number },
  change: (former: WizardChoices) => Partial<z.output<typeof choices>>,
): Promise<void> {
  await database.transaction(async (tx) => {
    await lockConnection(tx, scope, id);
    const former = await readChoices(tx, scope, id);
    if (former.revision !== revision) throw changedMeanwhile(former);
    const { repository, options } = { ...former, ...change(former) };
    const row = {
      choices: JSON.stringify(choices.parse({ repository, options })),
      revision: revision + 1,
      changed_by: actor.kind === 'user' ? actor.email : null,
      changed_at: clock(),
    };
    await tx
      .insertInto('connection_choices')
      .values({ connection_id: id, organization_id: scope.organizationId, ...row })
      .onConflict((conflict) => conflict.column('connection_id').doUpdateSet(row))
      .execute();
  });
}

function changedMeanwhile({ changedBy = 'Somebody' }: WizardChoices): Conflict {
  return new Conflict(
    'conflict',
    `${changedBy} changed these settings after you opened the page. The page shows the present ones: check them, then save again.`,
  );
}
