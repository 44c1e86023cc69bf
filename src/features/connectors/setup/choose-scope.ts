import { InvalidInput } from '../../../foundation/kernel/errors.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { AuditActor } from '../../identity/audit/audit.ts';
import type { Connection } from '../connections/connection.ts';
import { requireConnection } from '../connections/connection-store.ts';
import type { Connector } from '../port.ts';
import { bindConnection } from './bind-connection.ts';
import { connectorOf, type SetupDeps } from './setup-deps.ts';
import { type ChosenOption, changeChoices, maxChosen, readChoices } from './wizard-choices.ts';

export interface OptionsChange {
  readonly id: ConnectionId;
  readonly revision: number;
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
  const place =
    repository ??
    (binding && {
      githostConnectionId: binding.githostConnectionId,
      name: binding.repository,
      branch: binding.branch,
    });
  if (place === undefined) throw new InvalidInput('Choose a repository first.');
  const connector = connectorOf(deps.connectors, connection.kind);
  const { githostConnectionId, name, branch } = place;
  const chosen = { ...presentScope(connection), ...scopeOf(connector, options) };
  const request = { githostConnectionId, repository: name, branch, scope: chosen };
  await bindConnection(deps, { scope, actor, id, request }, signal);
}

/** Returns the scope that applies; before the first merge the chosen one. */
export function presentScope({ live, binding }: Connection): Readonly<Record<string, unknown>> | undefined {
  return (live?.configuration['scope'] as Readonly<Record<string, unknown>> | undefined) ?? binding?.scope;
}

/** Returns the kinds of options that a scope can be built from. */
export function choosableKinds({ configuration }: Connector): readonly string[] {
  return Object.keys(configuration.flags);
}

function scopeOf(connector: Connector, options: readonly ChosenOption[]): Readonly<Record<string, unknown>> {
  const parts = Object.entries(connector.configuration.flags).flatMap(([kind, { scopeOf: build }]) => {
    const refs = options.filter((option) => option.kind === kind).map(({ ref }) => ref);
    return refs.length === 0 ? [] : [build(refs)];
  });
  return Object.assign({}, ...parts) as Readonly<Record<string, unknown>>;
}
