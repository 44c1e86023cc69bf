import { fileKey } from '../../knowledge/links/keys.ts';
import { commitsTouching } from '../../knowledge/queries/commits-before.ts';
import { reached, step } from '../../knowledge/queries/related-node.ts';
import { relatedCommits } from '../evidence/past-commits.ts';
import { commitSource, dayOf, nameOf, type PastCommit, recordOf } from '../evidence/sources.ts';
import type { Sentence } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { listSentence, plainText, quoted } from '../text/markdown.ts';

const max = { people: 3, records: 3 } as const;

/**
 * Returns what the graph knows of the best passage, one line each: its owners, its last change, issues and incidents.
 */
export async function surroundings(inquiry: Inquiry): Promise<readonly Sentence[]> {
  const { ranked, view, scope } = inquiry;
  const [best] = ranked.passages.best;
  if (best === undefined || ranked.passages.confidence === 'weak') return [];
  const file = fileKey(best.repository, best.path);
  const kinds = ['owned_by', 'mentions', 'fails_in'];
  const around = await step(view.graph, scope, { from: [file], direction: 'both', kinds });
  const owners = reached(around, [file], ['person', 'team']).filter(({ edge }) => edge.kind === 'owned_by');
  const records = reached(around, [file], ['issue', 'incident']);
  const { commits } = await commitsTouching(view.graph, scope, [file]);
  const [last] = await relatedCommits(inquiry, commits.slice(0, 1));
  return [
    ...listSentence('Owned by ', owners, max.people, nameOf),
    ...(last === undefined ? [] : [changeSentence(inquiry, last)]),
    ...listSentence('Named by ', records, max.records, recordOf(inquiry)),
  ];
}

/** States the last change of the file of a passage. */
function changeSentence(inquiry: Inquiry, commit: PastCommit): Sentence {
  const by = commit.author === '' ? '' : ` by ${plainText(commit.author)}`;
  return [
    `Its file last changed ${dayOf(commit.time)}${by}: ${quoted(commit.subject, 120)}`,
    commitSource(inquiry, commit, 'last change of the file'),
  ];
}
