import { z } from 'zod';
import { connectionStates } from '../../../features/connectors/connections/connection.ts';
import { listConnections } from '../../../features/connectors/connections/connection-store.ts';
import { repositoriesInScope } from '../../../features/search/repositories-in-scope.ts';
import { isoTime, isoTimeOrNull } from '../../../foundation/kernel/clock.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { progressInWords } from '../../../foundation/kernel/text/progress.ts';
import { defineTool } from './tool.ts';

/** Maximum number of pending repositories in the answer; `list_repositories` returns all of them. */
const maxNamed = 50;
/** Maximum number of connections in the answer. */
const maxConnections = 100;

const output = z.object({
  organization: z.string(),
  user: z.string(),
  role: z.string(),
  scopes: z.array(z.string()),
  version: z.string(),
  searchable: z.number(),
  /** Time of the oldest index, which limits the age of answers. */
  oldestIndexedAt: z.string().nullable(),
  pending: z.array(z.object({ repository: z.string(), state: z.string(), note: z.string() })),
  morePending: z.number(),
  /** The accounts of providers whose records are mirrored. */
  connections: z.array(
    z.object({
      name: z.string(),
      kind: z.string(),
      state: z.enum(connectionStates),
      lastSyncAt: z.string().nullable(),
    }),
  ),
});

export const status = defineTool({
  name: 'status',
  title: 'Service status',
  description:
    'Says who you are here, which organization answers, how fresh and complete its index is, and which providers are ' +
    'connected.',
  input: z.strictObject({}),
  output,
  async run(_nothing, { deps, access }) {
    const { searchable, pending } = await repositoriesInScope(deps.answers.queries, access.scope);
    const page = { limit: maxConnections };
    const connections = await listConnections(deps.answers.queries, access.scope, page);
    const indexedAt = searchable.map((repository) => repository.indexedAt);
    const structured = {
      organization: access.scope.orgSlug,
      user: access.principal.email,
      role: access.role,
      scopes: [...access.principal.scopes],
      version: deps.version,
      searchable: searchable.length,
      oldestIndexedAt: indexedAt.length === 0 ? null : isoTime(Math.min(...indexedAt)),
      pending: pending.slice(0, maxNamed).map(({ name, state, progress, error }) => ({
        repository: name,
        state,
        note: error?.message ?? (progress === undefined ? '' : progressInWords(progress)),
      })),
      morePending: Math.max(0, pending.length - maxNamed),
      connections: connections.items.map(({ name, kind, state, lastSyncAt }) => ({
        name,
        kind,
        state,
        lastSyncAt: isoTimeOrNull(lastSyncAt),
      })),
    };
    return { structured, text: asText(structured) };
  },
});

function asText(state: z.infer<typeof output>): string {
  const freshness = state.oldestIndexedAt === null ? '' : `, the oldest index from ${state.oldestIndexedAt}`;
  return [
    `orgctx ${state.version}, organization ${state.organization}, as ${state.user} (${state.role}; ${state.scopes.join(', ')})`,
    `${counted(state.searchable, 'repository is', 'repositories are')} searchable${freshness}.`,
    ...state.pending.map(
      ({ repository, state: now, note }) => `${repository}: ${now}${note === '' ? '' : `, ${note}`}`,
    ),
    ...(state.morePending === 0
      ? []
      : [`(${state.morePending} more not searchable yet; see list_repositories)`]),
    ...state.connections.map(
      ({ name, kind, state: now, lastSyncAt }) =>
        `${name} (${kind}): ${now}${lastSyncAt === null ? '' : `, last sync ${lastSyncAt}`}`,
    ),
  ].join('\n');
}
