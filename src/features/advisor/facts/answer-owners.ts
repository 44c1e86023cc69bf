import type { GraphNode } from '../../../backends/graph/port.ts';
import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { findOwners } from '../../knowledge/queries/find-owners.ts';
import type { RelatedNode } from '../../knowledge/queries/related-node.ts';
import { joined, type Sentence, type Statements } from '../answer/statements.ts';
import { isLately } from '../question/lately.ts';
import { inlineCode, plainText } from '../text/markdown.ts';
import { commitsOf, describeChanges, timeOf } from './history/commits.ts';
import { describePast, type MessageChange, readPast } from './history/past.ts';
import type { Area } from './history/people/area.ts';
import { type Author, authorsOf, peopleText, withoutPrograms } from './history/people/authors.ts';
import { type OwnedTarget, ownedTarget } from './history/people/owned-target.ts';
import { asksForReleases, releasePeople } from './history/people/release-people.ts';
import { topicPeople } from './history/people/topic-people.ts';
import { type Inquiry, maxPassages, placeText } from './inquiry.ts';
import type { Target } from './targets/target.ts';
import { subjectOf } from './targets/target-source.ts';

/** Number of commits whose authors are counted, and of people that are named. */
const max = { commits: 200, people: 3 } as const;
/**
 * Number of the commits of somebody from which who did most lately is named, and one of how many they must be; number
 * of the commits of lines from which they say who knows them, and not those of the file.
 */
const min = { commits: 3, oneOf: 3, ofLines: 1 } as const;

/**
 * Answers who owns a file, definition or area of the code, or else who changed it most. A topic that no name says is
 * also answered with the people of the commits about it.
 */
export async function answerOwners(inquiry: Inquiry): Promise<Statements | undefined> {
  const { view, scope } = inquiry;
  const releases = asksForReleases(inquiry.asked) ? await releasePeople(inquiry) : undefined;
  if (releases !== undefined) return releases;
  const found = await ownedTarget(inquiry);
  const file = found && (await view.graph.get(scope, [found.target.file])).nodes[0];
  if (found === undefined || file === undefined) return undefined;
  return describeOwners(inquiry, found, file);
}

async function describeOwners(
  inquiry: Inquiry,
  { target, area, isExplicit }: OwnedTarget,
  file: GraphNode,
): Promise<Statements> {
  const { owners } = await findOwners(inquiry.view.graph, inquiry.scope, target);
  const subject = area?.isFolder === true ? folderSubject(inquiry, area) : await subjectOf(inquiry, target);
  const authors = await authorsSentence(inquiry, target, { file, path: area?.path ?? target.path });
  const topic = isExplicit ? undefined : await topicPeople(inquiry, target.repositoryId);
  const base = { sources: inquiry.code.slice(0, maxPassages), notes: [] };
  const said = topic === undefined ? [] : [topic.sentence];
  if (owners.length > 0) {
    const people = authors === undefined ? said : [...said, authors];
    return { ...base, lead: [ownersSentence(owners, subject)], reasons: people.map(capitalized) };
  }
  const known: Sentence = [
    ...subject,
    ' has no declared owner',
    ...(authors === undefined ? ['.'] : ['; ', ...authors]),
  ];
  return { ...base, lead: topic?.isTelling === true ? [...said, known] : [known, ...said], reasons: [] };
}

/** Returns a sentence that begins with a capital letter. */
function capitalized([first = '', ...rest]: Sentence): Sentence {
  return [typeof first === 'string' ? first.slice(0, 1).toUpperCase() + first.slice(1) : first, ...rest];
}

/** Names the owners and their rules. The owners of a rule for all files come last, because others know the file better. */
function ownersSentence(owners: readonly RelatedNode[], subject: Sentence): Sentence {
  const sorted = owners.toSorted((a, b) => Number(isOfAllFiles(a)) - Number(isOfAllFiles(b)));
  const named = sorted.slice(0, max.people);
  const rules = new Set(named.map(({ edge }) => edge.evidence).filter((rule) => rule !== ''));
  const by = rules.size === 0 ? [] : [', by ', ...joined([...rules].map((rule) => [inlineCode(rule)]))];
  const names = named.map(({ node }): Sentence => [plainText(node.name)]);
  const verb = owners.length === 1 ? 'owns' : 'own';
  return [...joined(names, owners.length), ` ${verb} `, ...subject, ...by, '.'];
}

function isOfAllFiles({ edge }: RelatedNode): boolean {
  return /^CODEOWNERS (?:\*|\/?\*\*(?:\/\*)?)$/u.test(edge.evidence);
}

function folderSubject(inquiry: Inquiry, { repositoryId, path }: Area): Sentence {
  const repository = inquiry.ranked.repositories.find(({ id }) => id === repositoryId)?.name ?? '';
  return [placeText(inquiry, { repository, path: `${path}/` })];
}

async function authorsSentence(
  inquiry: Inquiry,
  target: Target,
  { file, path }: { readonly file: GraphNode; readonly path: string },
): Promise<Sentence | undefined> {
  const isSymbol = target.node.kind === 'symbol';
  const ofLines = isSymbol ? await readPast(inquiry, target) : undefined;
  if (ofLines !== undefined && ofLines.changes.length >= min.ofLines)
    return countedAuthors(inquiry, ofLines.changes, ' of its lines');
  const past = await readPast(inquiry, { ...target, node: file, path });
  if (past === undefined) return knownAuthors(inquiry, target.file);
  return countedAuthors(inquiry, past.changes, isSymbol ? ' of its file' : '');
}

/** Counts who wrote the latest commits of a path or lines, without merges and programs, and who did so lately. */
async function countedAuthors(
  inquiry: Inquiry,
  all: readonly MessageChange[],
  of: string,
): Promise<Sentence | undefined> {
  const changes = withoutPrograms(all);
  const authors = authorsOf(changes);
  const last = Math.max(0, ...changes.map(({ node }) => timeOf(node)));
  const recent = changes.filter(({ node }) => isLately(timeOf(node), last));
  const now = authorsOf(recent)[0];
  const most = authors[0];
  const isNew = now !== undefined && now.name !== most?.name && isMost(now, recent.length);
  const newest = (isNew ? now : most)?.changes[0];
  const shown = newest === undefined ? [] : await describePast(inquiry, [newest], 'recent change');
  const source = shown[0]?.source;
  if (source === undefined) return undefined;
  const article = of === '' ? 'its' : 'the';
  const number = changes.length === 1 ? 'only known commit' : `last ${changes.length} commits`;
  const known = `${article} ${number}${of}`;
  const counted: Sentence = [`came from `, ...peopleText(authors), source, '.'];
  if (!isNew) return [`${known} `, ...counted];
  return [
    `in the year up to its last commit mostly ${plainText(now.name)} changed it (${now.changes.length} of ${recent.length} commits), and ${known} `,
    ...counted,
  ];
}

function isMost({ changes }: Author, all: number): boolean {
  return changes.length >= min.commits && changes.length * min.oneOf >= all;
}

/** Counts the authors of the commits that the graph knows, of which merges hide the authors of what they merged. */
async function knownAuthors(inquiry: Inquiry, file: string): Promise<Sentence | undefined> {
  const commits = (await commitsOf(inquiry, [file])).slice(0, max.commits);
  const changes = await describeChanges(inquiry, commits, 'recent change of the file');
  const counts = new Map<string, number>();
  for (const { authors } of changes)
    for (const name of authors) counts.set(name, (counts.get(name) ?? 0) + 1);
  const top = [...counts].toSorted((a, b) => b[1] - a[1]).slice(0, max.people);
  const last = changes[0];
  if (top.length === 0 || last === undefined) return undefined;
  const people = top.map(([name, count]): Sentence => [`${plainText(visibleLine(name))} (${count})`]);
  const known = commits.length === 1 ? 'its only known commit' : `its last ${commits.length} commits`;
  return [`${known} came from `, ...joined(people, counts.size), ', the latest of them', last.source, '.'];
}
