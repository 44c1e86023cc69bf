import { fileKey } from '../../knowledge/links/keys.ts';
import { reached, step } from '../../knowledge/queries/related-node.ts';
import { recordSentence } from '../evidence/sources.ts';
import type { Sentence } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { listSentence, plainText } from '../text/markdown.ts';

const max = { people: 3, records: 3 } as const;

/**
 * Returns what the graph knows of the file of the best passage, one line each: its owners, issues and incidents.
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
  return [
    ...listSentence('Owned by ', owners, max.people, ({ node }) => [plainText(node.name)]),
    ...listSentence('Named by ', records, max.records, ({ node }) =>
      recordSentence(inquiry, node, 'names the file'),
    ),
  ];
}
