import type { GraphNode } from '../../../backends/graph/port.ts';
import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { findOwners } from '../../knowledge/queries/find-owners.ts';
import type { RelatedNode } from '../../knowledge/queries/related-node.ts';
import { joined, type Sentence, type Statements } from '../answer/statements.ts';
import { inlineCode, plainText } from '../text/markdown.ts';
import { type Area, areaOf } from './history/area.ts';
import { type Author, authorsOf, withoutPrograms } from './history/authors.ts';
import { commitsOf, describeChanges, timeOf } from './history/commits.ts';
import { describePast, type PastChange, readPast } from './history/past.ts';
import { typedTarget } from './history/typed-target.ts';
import { type Inquiry, maxPassages, nodePlace, placeText } from './inquiry.ts';
import { dayOf } from './targets/node-source.ts';
import { findTarget, nodeOf, type Target, targetOf } from './targets/target.ts';
import { targetSource } from './targets/target-source.ts';

/** Number of commits whose authors are counted, and of people that are named. */
const max = { commits: 200, people: 3 } as const;
/** The time, in seconds, that is called lately, and the number and share of commits in it that say something. */
const lately = { seconds: 365 * 86_400, commits: 3, share: 3 } as const;

/** Answers who owns a file, definition or area of the code, or else who changed it most. */
export async function answerOwners(inquiry: Inquiry): Promise<Statements | undefined> {
  const { view, scope } = inquiry;
  const typed = await typedTarget(inquiry);
  const area = isNamed(inquiry) || typed !== undefined ? undefined : areaOf(inquiry);
  const ofArea = area && (await targetOfArea(inquiry, area));
  const target = typed ?? ofArea ?? (await findTarget(inquiry));
  if (target === undefined) return undefined;
  const file = (await view.graph.get(scope, [target.file])).nodes[0];
  if (file === undefined) return undefined;
  const { owners } = await findOwners(view.graph, scope, target);
  const subject = area?.isFolder === true ? folderSubject(inquiry, area) : await subjectOf(inquiry, target);
  const authors = await authorsSentence(inquiry, target, { file, path: area?.path ?? target.path });
  if (owners.length === 0) {
    const lead: Sentence = ['No owner is declared for ', ...subject, '.'];
    return {
      lead: authors === undefined ? [lead] : [lead, authors],
      reasons: [],
      sources: inquiry.code.slice(0, maxPassages),
      notes: [],
    };
  }
  return {
    lead: [ownersSentence(owners, subject)],
    reasons: authors === undefined ? [] : [authors],
    sources: inquiry.code.slice(0, maxPassages),
    notes: [],
  };
}

function ownersSentence(owners: readonly RelatedNode[], subject: Sentence): Sentence {
  const named = owners.slice(0, max.people).map(({ node }): Sentence => [plainText(node.name)]);
  const rule = owners[0]?.edge.evidence ?? '';
  const by = rule === '' ? '' : `, by ${inlineCode(rule)}`;
  const verb = owners.length === 1 ? 'owns' : 'own';
  return [...joined(named, owners.length), ` ${verb} `, ...subject, `${by}.`];
}

/** The name of a repository says where to look, also if something in it has the same name. */
function isNamed({ named, ranked }: Inquiry): boolean {
  const names = new Set(ranked.repositories.map(({ name }) => name.toLowerCase()));
  return named.files.length > 0 || named.symbols.some(({ name }) => !names.has(name.toLowerCase()));
}

/** Returns the file of an area that fits the question best. */
async function targetOfArea(inquiry: Inquiry, { repositoryId, file }: Area): Promise<Target | undefined> {
  const node = await nodeOf(inquiry, { repositoryId, path: file });
  return node && targetOf(node, false);
}

function folderSubject(inquiry: Inquiry, { repositoryId, path }: Area): Sentence {
  const repository = inquiry.ranked.repositories.find(({ id }) => id === repositoryId)?.name ?? '';
  return [placeText(inquiry, { repository, path: `${path}/` })];
}

async function subjectOf(inquiry: Inquiry, target: Target): Promise<Sentence> {
  const own = await targetSource(inquiry, target);
  return [nodePlace(inquiry, target.node), ...(own === undefined ? [] : [own])];
}

async function authorsSentence(
  inquiry: Inquiry,
  target: Target,
  { file, path }: { readonly file: GraphNode; readonly path: string },
): Promise<Sentence | undefined> {
  const past = await readPast(inquiry, { ...target, node: file, path });
  return past === undefined ? knownAuthors(inquiry, target.file) : countedAuthors(inquiry, past.changes);
}

/** Counts who wrote the latest commits of a path, without merges and programs, and who did so lately. */
async function countedAuthors(inquiry: Inquiry, all: readonly PastChange[]): Promise<Sentence | undefined> {
  const changes = withoutPrograms(all);
  const authors = authorsOf(changes);
  const since = Date.now() / 1000 - lately.seconds;
  const recent = changes.filter(({ node }) => timeOf(node) >= since);
  const now = authorsOf(recent)[0];
  const most = authors[0];
  const isNew = now !== undefined && now.name !== most?.name && isMost(now, recent.length);
  const newest = (isNew ? now : most)?.changes[0];
  const shown = newest === undefined ? [] : await describePast(inquiry, [newest], 'recent change');
  const source = shown[0]?.source;
  if (source === undefined) return undefined;
  const people = authors.slice(0, max.people).map((author, index): Sentence => {
    const last = author.changes[0] && dayOf(author.changes[0].node);
    const count = index === 0 ? `${author.changes.length} of them` : `${author.changes.length}`;
    return [`${plainText(author.name)} (${count}${last === undefined ? '' : `, the last on ${last}`})`];
  });
  const known = changes.length === 1 ? 'Its only known commit' : `Its last ${changes.length} commits`;
  const counted: Sentence = [`came from `, ...joined(people, authors.length), source, '.'];
  if (!isNew) return [`${known} `, ...counted];
  return [
    `In the last year mostly ${plainText(now.name)} changed it (${now.changes.length} of ${recent.length} commits). ${known} `,
    ...counted,
  ];
}

function isMost({ changes }: Author, all: number): boolean {
  return changes.length >= lately.commits && changes.length * lately.share >= all;
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
  return [
    `By number of commits, ${known} came from `,
    ...joined(people, counts.size),
    ', the latest of them',
    last.source,
    '.',
  ];
}
