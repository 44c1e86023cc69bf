import { isoTime } from '../../../foundation/kernel/clock.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { listed } from '../../../foundation/kernel/text/listed.ts';
import { shortCommit } from '../../../foundation/kernel/text/short-commit.ts';
import type { Finding, Sentence } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';

const maxListed = 20;
/** Kinds of records that are counted. */
const recordKinds = ['issue', 'incident', 'document', 'commit'] as const;

/** Answers questions about the service from its records: which repositories are searchable, and how fresh they are. */
export async function serviceAnswer({ ranked, view, scope }: Inquiry): Promise<Finding> {
  const shown = ranked.named.length > 0 ? ranked.named : ranked.repositories;
  const { nodes } = await view.graph.stats(scope);
  const records = recordKinds.flatMap((kind) => {
    const count = nodes[kind] ?? 0;
    return count === 0 ? [] : [counted(count, kind)];
  });
  const names = listed(
    shown.map(({ name }) => inlineCode(name)),
    5,
  );
  const oldest = Math.min(...shown.map(({ indexedAt }) => indexedAt));
  const verb = shown.length === 1 ? 'repository is' : 'repositories are';
  return {
    lines: [
      [`${shown.length} ${verb} searchable: ${names}. The oldest index is from ${minuteOf(oldest)}.`],
      ...shown
        .slice(0, maxListed)
        .map(
          ({ name, indexedCommit, indexedAt, indexedBranches }): Sentence => [
            `${inlineCode(name)}: commit ${shortCommit(indexedCommit)}, indexed ${minuteOf(indexedAt)}` +
              (indexedBranches.length > 1 ? `, ${indexedBranches.length} branches` : ''),
          ],
        ),
      ...(records.length === 0 ? [] : [[`The knowledge graph has ${records.join(', ')}.`]]),
    ],
    notes:
      shown.length > maxListed
        ? ['`orgctx repo list` and the tool `list_repositories` show all of them.']
        : [],
    passages: 0,
  };
}

/** Formats a time to the minute, UTC. */
function minuteOf(milliseconds: number): string {
  return `${isoTime(milliseconds).slice(0, 16).replace('T', ' ')} UTC`;
}
