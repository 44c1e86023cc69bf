import type { Incomplete } from '../../backends/codesearch/port.ts';
import type { Queries } from '../../foundation/db/database.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { counted } from '../../foundation/kernel/text/counted.ts';
import { listed } from '../../foundation/kernel/text/listed.ts';
import { shorten, visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { listBehind } from '../repositories/named-repositories.ts';

interface Missing {
  readonly incomplete: Incomplete | undefined;
  /** Number of lines that are counted and not listed. */
  readonly unlisted: number;
  readonly isGraphCut: boolean;
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

/** Maximum number of repositories that are compared. */
const maxBehind = 200;

/** Returns what an answer lacks, in sentences. */
export async function noticesOf(
  queries: Queries,
  scope: OrgScope,
  { incomplete, unlisted, isGraphCut, repositories }: Missing,
): Promise<string[]> {
  const rows = await listBehind(queries, scope, maxBehind);
  const asked =
    repositories === undefined || repositories.length === 0
      ? rows
      : rows.filter(({ id, name }) => repositories.includes(id) || repositories.includes(name));
  const unread = asked.filter(({ isIndexed }) => !isIndexed);
  const behind = asked.filter(({ isIndexed }) => isIndexed);
  return [
    ...(incomplete === undefined ? [] : [ofSearch[incomplete]]),
    ...(unlisted === 0
      ? []
      : [`${counted(unlisted, 'line')} are counted and not listed. Name repositories to search fewer.`]),
    ...(unread.length === 0 ? [] : [`Not indexed yet, so its lines are missing: ${namesOf(unread)}.`]),
    ...(behind.length === 0
      ? []
      : [
          `The knowledge graph is behind the index, so certainty may be wrong or missing: ${namesOf(behind)}.`,
        ]),
    ...(isGraphCut
      ? ['The name has more definitions or uses than the graph returns: some lines are not marked.']
      : []),
  ];
}

/** Says that no definition has a qualified name. `isText`: the lines have all of it, and not only its last part. */
export function noticeOfUnknown(name: string, isText: boolean): string {
  const lines = isText ? 'this text' : 'its last part';
  return `No definition is known as ${shorten(visibleLine(name), max.length)}: these are all lines with ${lines}.`;
}

function namesOf(rows: readonly { readonly name: string }[]): string {
  return visibleLine(
    listed(
      rows.map(({ name }) => name),
      max.names,
    ),
  );
}
