import type { GraphNode } from '../../../backends/graph/port.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { timeOf } from '../../knowledge/queries/commits-before.ts';
import { explainIncident } from '../../knowledge/queries/explain-incident.ts';
import { reached, step } from '../../knowledge/queries/related-node.ts';
import { commitSentence, commitsOfNodes, showCommit } from '../evidence/past-commits.ts';
import { nameOf, readRecord, recordOf, recordSentence, recordText, stateText } from '../evidence/sources.ts';
import { placeOf } from '../evidence/target.ts';
import type { Finding, Sentence } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { joined, listSentence, plainText } from '../text/markdown.ts';
import { endOfHistory } from './state-commits.ts';
import { targetsOf } from './targets.ts';

/** Numbers of each that are named. */
const max = { commits: 5, files: 5, people: 3, records: 4 } as const;
const candidatesNote = 'These commits are candidates: nothing says that one of them is the cause.';

/** Answers about the issue that a question names: its state, its commits, and the files that they touched. */
export async function issueAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const { view, scope, named } = inquiry;
  const [issue, ...others] = named.issues;
  if (issue === undefined) return undefined;
  const from = [issue.key];
  const around = await step(view.graph, scope, { from, direction: 'both' });
  const commits = reached(around, from, ['commit']).map(({ node }) => node);
  commits.sort((a, b) => timeOf(b) - timeOf(a));
  const assignees = reached(around, from, ['person']).filter(({ edge }) => edge.kind === 'assigned_to');
  const touching = [issue.key, ...commits.map(({ key }) => key)];
  const kinds = ['mentions', 'touches'];
  const touched = await step(view.graph, scope, { from: touching, direction: 'out', kinds });
  const source = await readRecord(inquiry, issue, 'issue of the question');
  const names = assignees.slice(0, max.people).map(nameOf);
  const assigned = names.length === 0 ? [] : [', assigned to ', ...joined(names, assignees.length)];
  const stated = await commitLines(inquiry, 'Commit: ', commits);
  const more = others.slice(0, max.records).map((node): Sentence => {
    return [...recordSentence(inquiry, node, 'named in the question'), ` is ${stateText(node)}`];
  });
  return {
    lines: [
      [`${recordText(issue)} is ${stateText(issue)}`, ...assigned, source],
      ...(stated.lines.length === 0 ? [['No commit names it.']] : stated.lines),
      ...listSentence('Files: ', reached(touched, touching, ['file', 'symbol']), max.files, placeOf(inquiry)),
      ...listSentence(
        'Linked: ',
        reached(around, from, ['issue', 'incident', 'document']),
        max.records,
        recordOf(inquiry),
      ),
      ...more,
    ],
    next: stated.next,
  };
}

/** Answers what broke and what changed before an incident; if it is not known, with the last changes of the code. */
export async function incidentAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const [incident, ...others] = inquiry.named.incidents;
  if (incident !== undefined) return changesBefore(inquiry, incident, others);
  const [target] = await targetsOf(inquiry);
  const latest = target && (await endOfHistory(inquiry, target, true));
  if (latest === undefined) return undefined;
  const lines = [['No incident was found that the question names.'], ...latest.lines];
  return { ...latest, lines, notes: [candidatesNote], isSure: false };
}

async function changesBefore(
  inquiry: Inquiry,
  incident: GraphNode,
  others: readonly GraphNode[],
): Promise<Finding> {
  const context = await explainIncident(inquiry.view.graph, inquiry.scope, incident.key);
  const source = await readRecord(inquiry, incident, 'incident of the question');
  const { createdAt } = incident.props;
  const created = typeof createdAt === 'string' ? createdAt : '';
  const before = context.commits.map(({ node }) => node);
  const stated = await commitLines(inquiry, 'Before it, in code that it names: ', before);
  const when = created === '' ? '' : ` of ${plainText(created.slice(0, 16).replace('T', ' '))}`;
  const fitting = others.map(recordText).join(', ');
  return {
    lines: [
      [`${recordText(incident)}${when} is ${stateText(incident)}`, source],
      ...(stated.lines.length === 0
        ? [['No commit before it is known that touched code that it names.']]
        : stated.lines),
      ...listSentence('Code that it names: ', context.places, max.files, placeOf(inquiry)),
      ...listSentence('Affected: ', context.services, max.people, nameOf),
      ...listSentence('Linked issues: ', context.issues, max.records, recordOf(inquiry)),
      ...listSentence('People: ', context.people, max.people, nameOf),
    ],
    notes: [
      ...(stated.lines.length === 0 ? [] : [candidatesNote]),
      ...(fitting === '' ? [] : [`Other incidents fit the question too: ${fitting}.`]),
      ...(context.truncated ? ['The incident has more connections than were followed.'] : []),
    ],
    next: stated.next,
  };
}

/** States commits, one on a line, and how many more there are. */
async function commitLines(
  inquiry: Inquiry,
  label: string,
  all: readonly GraphNode[],
): Promise<Required<Pick<Finding, 'lines' | 'next'>>> {
  const commits = await commitsOfNodes(inquiry, all.slice(0, max.commits));
  const more = all.length - commits.length;
  const lines = commits.map((commit): Sentence => [label, ...commitSentence(inquiry, commit)]);
  return {
    lines:
      lines.length > 0 && more > 0 ? [...lines, [`${counted(more, 'earlier commit')} not shown.`]] : lines,
    next: commits.slice(0, 1).flatMap(showCommit),
  };
}
