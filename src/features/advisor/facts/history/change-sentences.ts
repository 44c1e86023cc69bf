import { reached, step } from '../../../knowledge/queries/related-node.ts';
import { joined, quoted, type Sentence } from '../../answer/statements.ts';
import { inlineCode } from '../../text/markdown.ts';
import { type Inquiry, nodePlace } from '../inquiry.ts';
import { recordSentence, stateText } from '../issue-text.ts';
import { type Change, changeText } from './commits.ts';

const max = { issues: 3, files: 6, quoted: 500 } as const;

/** Says what the author of a commit says in its body, and which issues and advisories it names. */
export function reasonSentences(
  inquiry: Inquiry,
  { explanation = [], references = [], issues }: Change,
): Sentence[] {
  const text = explanation.join(' ');
  const said: Sentence[] = text === '' ? [] : [[`Its author says: ${quoted(text, max.quoted)}.`]];
  const known = references.filter((name) => !issues.some(({ node }) => node.name.includes(name)));
  if (known.length > 0) said.push([`Its message names ${known.map(inlineCode).join(', ')}.`]);
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

/** Names further commits. */
export function otherChanges(others: readonly Change[], label: string): Sentence[] {
  return others.length === 0 ? [] : [[label, ...joined(others.map(changeText)), '.']];
}
