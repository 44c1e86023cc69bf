import type { GraphNode } from '../../../backends/graph/port.ts';
import { type RelatedNode, reached, step } from '../../knowledge/queries/related-node.ts';
import { joined, listSentence, type Sentence, type Statements } from '../answer/statements.ts';
import { plainText } from '../text/markdown.ts';
import { changeText, describeChanges, timeOf } from './history/commits.ts';
import { type Inquiry, maxPassages, nodePlace } from './inquiry.ts';
import { readRecord, recordSentence, recordText, stateText } from './issue-text.ts';

const max = { commits: 4, files: 5, issues: 4, people: 3 } as const;

/** Answers about the issue that a question names: its state, its commits, and the files that they touched. */
export async function answerIssue(inquiry: Inquiry): Promise<Statements | undefined> {
  const { view, scope, named } = inquiry;
  const [issue, ...others] = named.issues;
  if (issue === undefined) return undefined;
  const from = [issue.key];
  const around = await step(view.graph, scope, { from, direction: 'both' });
  const commits = reached(around, from, ['commit']).map(({ node }) => node);
  const newest = commits.toSorted((a, b) => timeOf(b) - timeOf(a));
  const changes = await describeChanges(inquiry, newest.slice(0, max.commits), 'names the issue');
  const files = await filesOf(inquiry, issue, newest);
  const people = reached(around, from, ['person']).filter(({ edge }) => edge.kind === 'assigned_to');
  const linked = reached(around, from, ['issue', 'incident', 'document']);
  const source = await readRecord(inquiry, issue, 'issue of the question');
  const assigned = people.length === 0 ? '' : `, assigned to ${plainText(people[0]?.node.name ?? '')}`;
  const work: Sentence =
    changes.length === 0
      ? ['No commit names it.']
      : ['Its commits: ', ...joined(changes.map(changeText), commits.length), '.'];
  return {
    lead: [[`${recordText(issue)} is ${stateText(issue)}${assigned}`, source, '.'], work],
    reasons: [
      ...listSentence(
        'Files: ',
        files.slice(0, max.files).map(({ node }) => [nodePlace(inquiry, node)]),
        files.length,
      ),
      ...listSentence(
        'Linked: ',
        linked.slice(0, max.issues).map(({ node, edge }) => recordSentence(inquiry, node, edge.kind)),
        linked.length,
      ),
      ...others
        .slice(0, max.issues)
        .map(
          (node): Sentence => [
            ...recordSentence(inquiry, node, 'named in the question'),
            ` is ${stateText(node)}.`,
          ],
        ),
    ],
    sources: inquiry.code.slice(0, maxPassages),
    notes: [],
  };
}

/** Returns the files that an issue names, then those that its commits touched. */
async function filesOf(
  { view, scope }: Inquiry,
  issue: GraphNode,
  commits: readonly GraphNode[],
): Promise<readonly RelatedNode[]> {
  const from = [issue.key, ...commits.map(({ key }) => key)];
  const found = await step(view.graph, scope, { from, direction: 'out', kinds: ['mentions', 'touches'] });
  return reached(found, from, ['file', 'symbol']);
}
