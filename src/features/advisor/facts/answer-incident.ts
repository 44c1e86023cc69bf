import type { GraphNode } from '../../../backends/graph/port.ts';
import { fileKey } from '../../knowledge/links/keys.ts';
import { explainIncident, type IncidentContext } from '../../knowledge/queries/explain-incident.ts';
import { joined, listSentence, type Sentence, type Statements } from '../answer/statements.ts';
import { plainText } from '../text/markdown.ts';
import { createdAt } from './find-named.ts';
import { changeText, commitsOf, describeChanges, timeOf } from './history/commits.ts';
import { type Inquiry, maxPassages, nodePlace } from './inquiry.ts';
import { readRecord, recordSentence, recordText, stateText } from './issue-text.ts';
import { findTarget } from './targets/target.ts';
import { subjectOf } from './targets/target-source.ts';

const max = { commits: 5, places: 3, people: 3, files: 5 } as const;

/** Answers what broke and what changed before an incident. */
export async function answerIncident(inquiry: Inquiry): Promise<Statements | undefined> {
  const [incident, ...others] = inquiry.named.incidents;
  return incident === undefined ? answerRecentChanges(inquiry) : answerBefore(inquiry, incident, others);
}

async function answerBefore(
  inquiry: Inquiry,
  incident: GraphNode,
  others: readonly GraphNode[],
): Promise<Statements> {
  const { view, scope } = inquiry;
  const context = await explainIncident(view.graph, scope, incident.key);
  const source = await readRecord(inquiry, incident, 'incident of the question');
  const started = createdAt(incident);
  const limit = Number.isNaN(Date.parse(started)) ? Number.POSITIVE_INFINITY : Date.parse(started) / 1000;
  const before = context.commits
    .map(({ node }) => node)
    .filter((node) => timeOf(node) <= limit)
    .toSorted((a, b) => timeOf(b) - timeOf(a));
  const changes = await describeChanges(inquiry, before.slice(0, max.commits), 'before the incident');
  const when = started === '' ? '' : ` of ${plainText(started.slice(0, 16).replace('T', ' '))}`;
  const head: Sentence = [`${recordText(incident)}${when} is ${stateText(incident)}`, source];
  const lead: Sentence =
    changes.length > 0
      ? [
          ...head,
          '. The latest commits before it that touched the code that it names: ',
          ...joined(changes.map(changeText), before.length),
          '.',
        ]
      : [...head, '. No commit before it is known that touched code that it names.'];
  return {
    lead: [lead],
    reasons: await connections(inquiry, context),
    sources: inquiry.code.slice(0, maxPassages),
    notes: [
      ...(changes.length > 0
        ? ['These commits are candidates: nothing says that one of them is the cause.']
        : []),
      ...(others.length > 0
        ? [`Other incidents fit the question too: ${others.map(recordText).join(', ')}.`]
        : []),
      ...(context.truncated ? ['The incident has more connections than were followed.'] : []),
    ],
  };
}

async function connections(inquiry: Inquiry, context: IncidentContext): Promise<Sentence[]> {
  const { places, services, issues, people } = context;
  const named = await Promise.all(
    places.slice(0, max.places).map(async ({ node }): Promise<Sentence> => subjectOf(inquiry, { node })),
  );
  return [
    ...listSentence('Code that it names: ', named, places.length),
    ...listSentence(
      'Affected: ',
      services.slice(0, max.people).map(({ node }) => [plainText(node.name)]),
      services.length,
    ),
    ...listSentence(
      'Linked issues: ',
      issues.slice(0, max.people).map(({ node }) => recordSentence(inquiry, node, 'linked to the incident')),
      issues.length,
    ),
    ...listSentence(
      'People: ',
      people.slice(0, max.people).map(({ node }) => [plainText(node.name)]),
      people.length,
    ),
  ];
}

/** Answers with the latest changes of the code that the question is about, if it names no known incident. */
async function answerRecentChanges(inquiry: Inquiry): Promise<Statements | undefined> {
  const target = await findTarget(inquiry);
  if (target === undefined) return undefined;
  const ranked = inquiry.code
    .slice(0, max.files)
    .map(({ repositoryId, path }) => fileKey(repositoryId, path));
  const files = target.isNamed ? [target.file] : [...new Set([target.file, ...ranked])];
  const commits = await commitsOf(inquiry, files);
  const changes = await describeChanges(inquiry, commits.slice(0, max.commits), 'recent change');
  if (changes.length === 0) return undefined;
  const about: Sentence = target.isNamed
    ? [nodePlace(inquiry, target.node)]
    : ['the files that fit the question best, such as ', nodePlace(inquiry, target.node)];
  return {
    lead: [
      [
        'No incident was found that the question names. The latest changes of ',
        ...about,
        ': ',
        ...joined(changes.map(changeText), commits.length),
        '.',
      ],
    ],
    reasons: [],
    sources: inquiry.code.slice(0, maxPassages),
    notes: ['These commits are candidates: nothing says that one of them broke anything.'],
  };
}
