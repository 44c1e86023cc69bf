import type { GraphNode } from '../../../../backends/graph/port.ts';
import type { Sentence } from '../../answer/statements.ts';
import { splitWords } from '../../text/split-words.ts';
import type { Inquiry } from '../inquiry.ts';
import { recordSentence } from '../issue-text.ts';
import { type Change, changeText, commitsOf, describeChanges, similarTo } from './commits.ts';

/** Number of words of the question that the subject of a commit must share to be named; a short question has fewer. */
const minShared = 2;
/** Number of the latest commits among which one for an issue is looked for. */
const maxRecent = 5;
/** The share of the commits of a file above which a word of their subjects says little. */
const maxShare = 0.2;

/**
 * Names the change of a file whose subject fits the question, or else the latest one that was made for an issue, with
 * that issue; nothing if there is neither.
 */
export async function fittingChange(inquiry: Inquiry, file: string): Promise<Sentence[]> {
  const commits = await commitsOf(inquiry, [file]);
  const { subject, repositories } = inquiry.ranked;
  const { terms, identifiers } = subject;
  // A word that is in many subjects, such as the name of the repository, says little.
  const common = new Set([...commonWords(commits), ...repositories.flatMap(({ name }) => splitWords(name))]);
  const words = new Set(terms.flatMap(splitWords).filter((word) => !common.has(word)));
  const plain = terms.filter((term) => !identifiers.includes(term));
  const needed = Math.max(1, Math.min(minShared, plain.length));
  const similar = similarTo(inquiry, commits).find(({ name }) => {
    const shared = new Set(splitWords(name).filter((word) => words.has(word)));
    return shared.size >= needed;
  });
  if (similar !== undefined) {
    const [change] = await describeChanges(inquiry, [similar], 'similar change');
    return change === undefined
      ? []
      : [sentenceOf(inquiry, change, 'A change of the file that fits the question')];
  }
  const recent = await describeChanges(inquiry, commits.slice(0, maxRecent), 'recent change');
  const change = recent.find(({ issues }) => issues.length > 0);
  return change === undefined
    ? []
    : [sentenceOf(inquiry, change, 'The latest change of the file for an issue')];
}

function commonWords(commits: readonly GraphNode[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { name } of commits)
    for (const word of new Set(splitWords(name))) counts.set(word, (counts.get(word) ?? 0) + 1);
  const limit = Math.max(3, commits.length * maxShare);
  return [...counts].filter(([, count]) => count > limit).map(([word]) => word);
}

function sentenceOf(inquiry: Inquiry, change: Change, label: string): Sentence {
  const [issue] = change.issues;
  const purpose =
    issue === undefined ? [] : [', for ', ...recordSentence(inquiry, issue.node, issue.edge.kind)];
  return [`${label}: `, ...changeText(change), ...purpose, '.'];
}
