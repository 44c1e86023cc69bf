import { counted } from '../../../foundation/kernel/text/counted.ts';
import { timeOf } from '../../knowledge/queries/commits-before.ts';
import { explainIncident } from '../../knowledge/queries/explain-incident.ts';
import { keysOf, type RelatedNode, reached, step } from '../../knowledge/queries/related-node.ts';
import { commitSentence, relatedCommits, showCommit } from '../evidence/past-commits.ts';
import { nameOf, readRecord, recordOf, recordSentence, recordText, stateText } from '../evidence/sources.ts';
import { placeOf } from '../evidence/target.ts';
import type { Finding, Sentence } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { listSentence, plainText } from '../text/markdown.ts';

/** Numbers of each that are named. */
const max = { commits: 5, files: 5, people: 3, records: 4 } as const;
const candidatesNote = 'These commits are candidates: nothing says that one of them is the cause.';

/** Answers about the issues that a question names: their states, and the commits of the first with their files. */
export async function issueAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const { view, scope, named } = inquiry;
  const [issue, ...others] = named.issues;
  if (issue === undefined) return undefined;
  const from = [issue.key];
  const around = await step(view.graph, scope, { from, direction: 'both' });
  const commits = reached(around, from, ['commit']).toSorted((a, b) => timeOf(b.node) - timeOf(a.node));
  const assignees = reached(around, from, ['person']).filter(({ edge }) => edge.kind === 'assigned_to');
  const touching = [issue.key, ...keysOf(commits)];
  const kinds = ['mentions', 'touches'];
  const touched = await step(view.graph, scope, { from: touching, direction: 'out', kinds });
  const source = await readRecord(inquiry, issue, 'issue of the question');
  const stated = await commitLines(inquiry, 'Commit: ', commits);
  const files = reached(touched, touching, ['file', 'symbol']);
  const linked = reached(around, from, ['issue', 'incident', 'document']);
  return {
    lines: [
      [`${recordText(issue)} is ${stateText(issue)}`, source],
      ...listSentence('Assigned to ', assignees, max.people, nameOf),
      ...(stated.lines.length === 0 ? [['No commit names it.']] : stated.lines),
      ...listSentence('Files: ', files, max.files, placeOf(inquiry)),
      ...listSentence('Linked: ', linked, max.records, recordOf(inquiry)),
      ...others.slice(0, max.records).map((node): Sentence => {
        return [...recordSentence(inquiry, node, 'named in the question'), ` is ${stateText(node)}`];
      }),
    ],
    next: stated.next,
  };
}

/** Answers what broke and what changed before the incident that a question names by its id. */
export async function incidentAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const [incident] = inquiry.named.incidents;
  if (incident === undefined) return undefined;
  const context = await explainIncident(inquiry.view.graph, inquiry.scope, incident.key);
  const source = await readRecord(inquiry, incident, 'incident of the question');
  const created = String(incident.props['createdAt'] ?? '')
    .slice(0, 16)
    .replace('T', ' ');
  const label = 'Before it, in code that it names: ';
  const { lines, next } = await commitLines(inquiry, label, context.commits);
  const none = [['No commit before it is known that touched code that it names.']];
  const when = created === '' ? '' : ` of ${plainText(created)}`;
  return {
    lines: [
      [`${recordText(incident)}${when} is ${stateText(incident)}`, source],
      ...(lines.length === 0 ? none : lines),
      ...listSentence('Code that it names: ', context.places, max.files, placeOf(inquiry)),
      ...listSentence('Affected: ', context.services, max.people, nameOf),
      ...listSentence('Linked issues: ', context.issues, max.records, recordOf(inquiry)),
      ...listSentence('People: ', context.people, max.people, nameOf),
    ],
    notes: [
      ...(lines.length === 0 ? [] : [candidatesNote]),
      ...(context.truncated ? ['The incident has more connections than were followed.'] : []),
    ],
    next,
  };
}

/** States commits, one on a line, and how many more there are. */
async function commitLines(
  inquiry: Inquiry,
  label: string,
  all: readonly RelatedNode[],
): Promise<Required<Pick<Finding, 'lines' | 'next'>>> {
  const commits = await relatedCommits(inquiry, all.slice(0, max.commits));
  const more =
    all.length > max.commits ? [[`${counted(all.length - max.commits, 'earlier commit')} not shown.`]] : [];
  const lines = commits.map((commit): Sentence => [label, ...commitSentence(inquiry, commit)]);
  return { lines: [...lines, ...more], next: commits.slice(0, 1).flatMap(showCommit) };
}
