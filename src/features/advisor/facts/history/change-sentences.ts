import { reached, step } from '../../../knowledge/queries/related-node.ts';
import { joined, quoted, type Sentence } from '../../answer/statements.ts';
import { type Inquiry, nodePlace } from '../inquiry.ts';
import { recordSentence, stateText } from '../issue-text.ts';
import type { Change } from './commits.ts';

const max = { issues: 3, files: 6 } as const;

/** Says what the author of a commit says in its body, and which issues it names. */
export function reasonSentences(inquiry: Inquiry, { body, issues }: Change): Sentence[] {
  const said: Sentence[] = body === undefined ? [] : [[`Its author says: ${quoted(body)}.`]];
  const named = issues.slice(0, max.issues).map(({ node, edge }): Sentence => {
    const verb = edge.kind === 'closes' ? 'It closed ' : 'It names ';
    return [verb, ...recordSentence(inquiry, node, `${edge.kind} (${edge.rule})`), `, ${stateText(node)}.`];
  });
  return [...said, ...named];
}

/** Names the files that a commit touched and that still exist. */
export async function touchedSentence(inquiry: Inquiry, { node: { key } }: Change): Promise<Sentence[]> {
  const { view, scope } = inquiry;
  const touched = await step(view.graph, scope, { from: [key], direction: 'out', kinds: ['touches'] });
  const files = reached(touched, [key], ['file']);
  const shown = files.slice(0, max.files).map(({ node }): Sentence => [nodePlace(inquiry, node)]);
  return shown.length === 0 ? [] : [['It touched ', ...joined(shown, files.length), '.']];
}
