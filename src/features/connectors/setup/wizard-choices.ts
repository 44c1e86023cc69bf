import { z } from 'zod';
import type { Queries } from '../../../foundation/db/database.ts';
import { Conflict, InvalidInput } from '../../../foundation/kernel/errors.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { AuditActor } from '../../identity/audit/audit.ts';
import { presentScope, requireAuthorized } from '../connections/connection.ts';
import { lockConnection, requireConnection } from '../connections/connection-store.ts';
import { connectorOf, type SetupDeps } from '../connections/connections-deps.ts';
import type { Connector } from '../port.ts';
import { bindConnection } from './bind-connection.ts';
import { findPlace, type PlaceRequest } from './context-repository.ts';

/** Maximum number of chosen options; the lists of a configuration file have the same limit. */
const maxChosen = 1_000;

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
  const read = choices.parse(JSON.parse(row?.choices ?? '{}'));
  return { ...read, revision: row?.revision ?? 0, changedBy: row?.changed_by ?? undefined };
}

/** Changes the choices of a connection. @throws NotFound; Conflict if somebody else changed them meanwhile */
async function changeChoices(
  { database, clock }: SetupDeps,
  scope: OrgScope,
  actor: AuditActor,
  { id, revision }: SeenChoices,
  change: (former: WizardChoices) => Partial<z.output<typeof choices>>,
): Promise<void> {
  await database.transaction(async (tx) => {
    await lockConnection(tx, scope, id);
    const former = await readChoices(tx, scope, id);
    if (former.revision !== revision) {
      throw new Conflict(
        'conflict',
        `${former.changedBy ?? 'Somebody'} changed these settings after you opened the page. The page shows the present ones: check them, then save again.`,
      );
    }
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

/** The choices that a person saw. */
interface SeenChoices {
  readonly id: ConnectionId;
  readonly revision: number;
}

/**
 * Saves the repository and branch that a person chose in the wizard, after the checks of a binding at the Git host.
 * @throws NotFound; InvalidInput naming the field or the missing permission; Conflict as `changeChoices`
 */
export async function chooseRepository(
  deps: SetupDeps,
  scope: OrgScope,
  actor: AuditActor,
  choice: PlaceRequest & SeenChoices,
  signal: AbortSignal,
): Promise<void> {
  requireAuthorized(await requireConnection(deps.database.queries, scope, choice.id));
  const { opened, repository: found, branch } = await findPlace(deps, scope, choice, signal);
  const repository = { githostConnectionId: opened.githost.id, name: found.fullName, branch };
  await changeChoices(deps, scope, actor, choice, () => ({ repository }));
}

interface OptionsChange extends SeenChoices {
  /** The options of the form; those that are not chosen are removed from the choices. */
  readonly shown: readonly Pick<ChosenOption, 'kind' | 'ref'>[];
  readonly chosen: readonly ChosenOption[];
}

/**
 * Adds and removes options in the choices of a connection. @throws NotFound; InvalidInput; Conflict as `changeChoices`
 */
export async function chooseOptions(
  deps: SetupDeps,
  scope: OrgScope,
  actor: AuditActor,
  { shown, chosen, ...form }: OptionsChange,
): Promise<void> {
  const replaced = new Set([...shown, ...chosen].map(keyOf));
  await changeChoices(deps, scope, actor, form, ({ options }) => {
    const added = new Map(chosen.map((option) => [keyOf(option), option]));
    const next = [...options.filter((option) => !replaced.has(keyOf(option))), ...added.values()];
    if (next.length > maxChosen) throw new InvalidInput(`A scope can name at most ${maxChosen} items.`);
    return { options: next };
  });
}

export function keyOf({ kind, ref }: Pick<ChosenOption, 'kind' | 'ref'>): string {
  return JSON.stringify([kind, ref]);
}

/**
 * Gives a connection the repository and scope that were chosen in the wizard. Settings of the present scope that the
 * wizard does not show are kept.
 * @throws as `bindConnection`; InvalidInput while no repository or nothing is chosen
 */
export async function applyChoices(
  deps: SetupDeps,
  scope: OrgScope,
  actor: AuditActor,
  id: ConnectionId,
  signal: AbortSignal,
): Promise<void> {
  const { queries } = deps.database;
  const connection = await requireConnection(queries, scope, id);
  const { repository, options } = await readChoices(queries, scope, id);
  const { binding } = connection;
  const place = repository ?? (binding && { ...binding, name: binding.repository });
  if (place === undefined) throw new InvalidInput('Choose a repository first.');
  const connector = connectorOf(deps.connectors, connection.kind);
  const { githostConnectionId, name, branch } = place;
  const chosen = { ...presentScope(connection), ...scopeOf(connector, options) };
  const request = { githostConnectionId, repository: name, branch, scope: chosen };
  await bindConnection(deps, { scope, actor, id, request }, signal);
}

function scopeOf(connector: Connector, options: readonly ChosenOption[]): Readonly<Record<string, unknown>> {
  const parts = Object.entries(connector.configuration.flags).flatMap(([kind, { scopeOf: build }]) => {
    const refs = options.filter((option) => option.kind === kind).map(({ ref }) => ref);
    return refs.length === 0 ? [] : [build(refs)];
  });
  return Object.assign({}, ...parts) as Readonly<Record<string, unknown>>;
}
