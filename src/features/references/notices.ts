import type { Incomplete } from '../../backends/codesearch/port.ts';
import type { Queries } from '../../foundation/db/database.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { shorten, visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { isReadable } from '../repositories/is-readable.ts';

interface Missing {
  readonly incomplete: Incomplete | undefined;
  readonly isGraphCut: boolean;
  /** The qualified name that no definition has. */
  readonly isUnknown: string | undefined;
  /** Names or ids of the searched repositories. Default: all. */
  readonly repositories: readonly string[] | undefined;
}

const ofSearch: Readonly<Record<Incomplete, string>> = {
  damaged: 'The index of a repository is being rebuilt: lines are missing. Ask again in a few minutes.',
  deadline: 'The search reached its time limit: lines are missing. Name repositories to search fewer.',
  limit: 'More lines match than are listed. Name repositories to search fewer.',
  definitions:
    'Definitions of a repository are still being read: some kinds are missing. Ask again in a few minutes.',
};
/** Maximum number of repositories that a notice names, and length of a text that it repeats. */
const max = { names: 5, length: 120 } as const;

/** Returns what an answer lacks, in sentences. */
export async function noticesOf(
  queries: Queries,
  scope: OrgScope,
  { incomplete, isGraphCut, isUnknown, repositories }: Missing,
): Promise<string[]> {
  const rows = await queries
    .selectFrom('repositories')
    .where(isReadable(scope))
    .where('state', '!=', 'removing')
    .where((each) =>
      each.or([
        each('indexed_commit', 'is', null),
        each('graph_commit', 'is', null),
        each('graph_commit', '!=', each.ref('indexed_commit')),
      ]),
    )
    .select(['id', 'name', 'indexed_commit'])
    .orderBy('name')
    .limit(200)
    .execute();
  const asked =
    repositories === undefined || repositories.length === 0
      ? rows
      : rows.filter(({ id, name }) => repositories.includes(id) || repositories.includes(name));
  const unread = asked.filter((row) => row.indexed_commit === null);
  const behind = asked.filter((row) => row.indexed_commit !== null);
  return [
    ...(incomplete === undefined ? [] : [ofSearch[incomplete]]),
    ...(unread.length === 0 ? [] : [`Not indexed yet, so its lines are missing: ${namesOf(unread)}.`]),
    ...(behind.length === 0
      ? []
      : [
          `The knowledge graph is behind the index, so certainty may be wrong or missing: ${namesOf(behind)}.`,
        ]),
    ...(isGraphCut
      ? ['The name has more definitions or uses than the graph returns: some lines are not marked.']
      : []),
    ...(isUnknown === undefined
      ? []
      : [
          `No definition is known as ${shorten(visibleLine(isUnknown), max.length)}: these are all lines with its last part.`,
        ]),
  ];
}

function namesOf(rows: readonly { readonly name: string }[]): string {
  const names = rows.slice(0, max.names).map(({ name }) => visibleLine(name));
  return rows.length > max.names
    ? `${names.join(', ')} and ${rows.length - max.names} more`
    : names.join(', ');
}
