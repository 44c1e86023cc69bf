import { z } from 'zod';
import { listConnections } from '../../../features/connectors/connections/connection-store.ts';
import { repositoriesInScope } from '../../../features/search/repositories-in-scope.ts';
import { isoTime, isoTimeOrNull } from '../../../foundation/kernel/clock.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { progressInWords } from '../../../foundation/kernel/text/progress.ts';
import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { type CallContext, defineTool, fitting } from './tool.ts';

/** Maximum number of pending repositories in the answer; `list_repositories` returns all of them. */
const maxNamed = 50;
/** Maximum number of connections in the answer. */
const maxConnections = 100;

export const indexStatus = defineTool({
  name: 'index_status',
  description:
    'Says how fresh and complete the index is, which providers are connected, who you are and which organization answers.',
  input: z.object({}),
  async run(_nothing, { deps, access }: CallContext) {
    const { scope, principal, role } = access;
    const { searchable, pending } = await repositoriesInScope(deps.answers.queries, scope);
    // Connections are those of the whole organization.
    const connections =
      scope.repositories === undefined
        ? await listConnections(deps.answers.queries, scope, { limit: maxConnections })
        : { items: [] };
    const oldest =
      searchable.length === 0 ? undefined : Math.min(...searchable.map(({ indexedAt }) => indexedAt));
    const freshness = oldest === undefined ? '' : `, the oldest index from ${isoTime(oldest)}`;
    return fitting({ limit: maxNamed, isLarge: false }, (limit) => {
      const left = pending.length - limit;
      const lines = [
        `${counted(searchable.length, 'repository is', 'repositories are')} searchable${freshness}.`,
        `orgctx ${deps.version}, organization ${scope.orgSlug}, as ${principal.email} (${role}; ${[...principal.scopes].join(', ')})`,
        ...pending.slice(0, limit).map(pendingLine),
        ...(left > 0 ? [`(${left} more not searchable yet; see list_repositories)`] : []),
        ...connections.items.map(({ name, kind, state, lastSyncAt }) => {
          const sync = isoTimeOrNull(lastSyncAt);
          return `${name} (${kind}): ${state}${sync === null ? '' : `, last sync ${sync}`}`;
        }),
      ];
      return lines.map(visibleLine).join('\n');
    });
  },
});

type Pending = Awaited<ReturnType<typeof repositoriesInScope>>['pending'][number];

function pendingLine({ name, state, progress, error }: Pending): string {
  const note = error?.message ?? (progress === undefined ? undefined : progressInWords(progress));
  return `${name}: ${state}${note === undefined ? '' : `, ${note}`}`;
}
