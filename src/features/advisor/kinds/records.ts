import type { GraphNode } from '../../../backends/graph/port.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { listed as listedText } from '../../../foundation/kernel/text/listed.ts';
import { fileKey } from '../../knowledge/links/keys.ts';
import { explainIncident } from '../../knowledge/queries/explain-incident.ts';
import { type RelatedNode, reached, step } from '../../knowledge/queries/related-node.ts';
import {
  commitSentence,
  commitsOfNodes,
  commitsTouching,
  newestFirst,
  showCommit,
  timeOf,
} from '../evidence/past-commits.ts';
import { type PastCommit, readRecord, recordSentence, recordText, stateText } from '../evidence/sources.ts';
import { type Finding, listSentence, type Sentence } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { inlineCode, plainText } from '../text/markdown.ts';
import { targetOf, targetSentence, targetsOf } from './target.ts';

/** Numbers of each that are named. */
const max = { commits: 5, places: 4, files: 5, people: 3, records: 4 } as const;

/** Answers about the issue that a question names: its state, its commits, and the files that they touched. */
export async function issueAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const { view, scope, named } = inquiry;
  const [issue, ...others] = named.issues;
  if (issue === undefined) return undefined;
  const from = [issue.key];
  const around = await step(view.graph, scope, { from, direction: 'both' });
  const nodes = newestFirst(reached(around, from, ['commit']).map(({ node }) => node));
  const commits = await commitsOfNodes(inquiry, nodes.slice(0, max.commits));
  const assignees = reached(around, from, ['person']).filter(({ edge }) => edge.kind === 'assigned_to');
  const touching = [issue.key, ...nodes.map(({ key }) => key)];
  const touched = await step(view.graph, scope, {
    from: touching,
    direction: 'out',
    kinds: ['mentions', 'touches'],
  });
  const source = await readRecord(inquiry, issue, 'issue of the question');
  const assigned = assignees.length === 0 ? '' : `, assigned to ${namesOf(assignees)}`;
  return {
    lines: [
      [`${recordText(issue)} is ${stateText(issue)}${assigned}`, source],
      ...(commits.length === 0
        ? [['No commit names it.']]
        : commitLines(inquiry, 'Commit: ', commits, nodes)),
      ...listed('Files: ', reached(touched, touching, ['file', 'symbol']), max.files, (node) => [
        ...nodeText(inquiry, node),
      ]),
      ...recordLine(inquiry, 'Linked: ', reached(around, from, ['issue', 'incident', 'document'])),
      ...others
        .slice(0, max.records)
        .map(
          (node): Sentence => [
            ...recordSentence(inquiry, node, 'named in the question'),
            ` is ${stateText(node)}`,
          ],
        ),
    ],
    sources: [source],
    next: commits.slice(0, 1).flatMap(showCommit),
  };
}

/** Answers what broke and what changed before an incident. */
export async function incidentAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const [incident, ...others] = inquiry.named.incidents;
  return incident === undefined ? recentChanges(inquiry) : changesBefore(inquiry, incident, others);
}

async function changesBefore(
  inquiry: Inquiry,
  incident: GraphNode,
  others: readonly GraphNode[],
): Promise<Finding> {
  const context = await explainIncident(inquiry.view.graph, inquiry.scope, incident.key);
  const source = await readRecord(inquiry, incident, 'incident of the question');
  const { createdAt } = incident.props;
  const started = typeof createdAt === 'string' ? Date.parse(createdAt) : Number.NaN;
  const limit = Number.isNaN(started) ? Number.POSITIVE_INFINITY : started / 1000;
  const known = context.commits.map(({ node }) => node);
  const before = newestFirst(known.filter((node) => timeOf(node) <= limit));
  const commits = await commitsOfNodes(inquiry, before.slice(0, max.commits));
  const when =
    typeof createdAt === 'string' ? ` of ${plainText(createdAt.slice(0, 16).replace('T', ' '))}` : '';
  return {
    lines: [
      [`${recordText(incident)}${when} is ${stateText(incident)}`, source],
      ...(commits.length === 0
        ? [['No commit before it is known that touched code that it names.']]
        : commitLines(inquiry, 'Before it, in code that it names: ', commits, before)),
      ...listed('Code that it names: ', context.places, max.places, (node) => nodeText(inquiry, node)),
      ...listed('Affected: ', context.services, max.people, nameOf),
      ...recordLine(inquiry, 'Linked issues: ', context.issues),
      ...listed('People: ', context.people, max.people, nameOf),
    ],
    sources: [source],
    notes: [
      ...(commits.length === 0 ? [] : [candidatesNote]),
      ...(others.length === 0
        ? []
        : [`Other incidents fit the question too: ${others.map(recordText).join(', ')}.`]),
      ...(context.truncated ? ['The incident has more connections than were followed.'] : []),
    ],
    next: commits.slice(0, 1).flatMap(showCommit),
  };
}

const candidatesNote = 'These commits are candidates: nothing says that one of them is the cause.';

/** Answers with the latest changes of the code that the question is about, if it names no known incident. */
async function recentChanges(inquiry: Inquiry): Promise<Finding | undefined> {
  const [target] = await targetsOf(inquiry);
  if (target === undefined) return undefined;
  const ranked = inquiry.ranked.passages.best
    .slice(0, max.files)
    .map(({ repository, path }) => fileKey(repository, path));
  const own = fileKey(target.repository.id, target.path);
  const nodes = await commitsTouching(inquiry, target.isNamed ? [own] : [...new Set([own, ...ranked])]);
  const commits = await commitsOfNodes(inquiry, nodes.slice(0, max.commits));
  if (commits.length === 0) return undefined;
  const what = target.isNamed ? 'its file' : 'the files that fit best';
  return {
    lines: [
      [
        `No incident was found that the question names. The latest changes of ${what}, `,
        ...targetSentence(inquiry, target),
        ':',
      ],
      ...commitLines(inquiry, '', commits, nodes),
    ],
    notes: [candidatesNote],
    next: commits.slice(0, 1).flatMap(showCommit),
    isSure: false,
  };
}

/** States commits, one on a line, and how many more there are. */
function commitLines(
  inquiry: Inquiry,
  label: string,
  commits: readonly PastCommit[],
  all: readonly GraphNode[],
): readonly Sentence[] {
  const more = all.length - commits.length;
  return [
    ...commits.map((commit): Sentence => [label, ...commitSentence(inquiry, commit)]),
    ...(more > 0 ? [[`${counted(more, 'earlier commit')} not shown.`]] : []),
  ];
}

function recordLine(inquiry: Inquiry, label: string, records: readonly RelatedNode[]): readonly Sentence[] {
  return listSentence(
    label,
    records.slice(0, max.records).map(({ node, edge }) => recordSentence(inquiry, node, edge.kind)),
    records.length,
  );
}

function listed(
  label: string,
  related: readonly RelatedNode[],
  most: number,
  write: (node: GraphNode) => Sentence,
): readonly Sentence[] {
  return listSentence(
    label,
    related.slice(0, most).map(({ node }) => write(node)),
    related.length,
  );
}

/** Formats a definition or file with its place. */
function nodeText(inquiry: Inquiry, node: GraphNode): Sentence {
  const target = targetOf(inquiry, node, true);
  return target === undefined ? [inlineCode(node.name)] : targetSentence(inquiry, target);
}

function nameOf({ name }: GraphNode): Sentence {
  return [plainText(name)];
}

function namesOf(people: readonly RelatedNode[]): string {
  return listedText(
    people.map(({ node }) => plainText(node.name)),
    max.people,
  );
}
