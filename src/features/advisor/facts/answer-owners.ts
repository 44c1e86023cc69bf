import type { GraphNode } from '../../../backends/graph/port.ts';
import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { findOwners } from '../../knowledge/queries/find-owners.ts';
import { joined, type Sentence, type Statements } from '../answer/statements.ts';
import { inlineCode, plainText } from '../text/markdown.ts';
import { commitsOf, describeChanges } from './history/commits.ts';
import { describePast, type PastChange, readPast } from './history/past.ts';
import { type Inquiry, maxPassages, nodePlace } from './inquiry.ts';
import { dayOf } from './targets/node-source.ts';
import { findTarget, type Target } from './targets/target.ts';
import { targetSource } from './targets/target-source.ts';

/** Number of commits whose authors are counted, and of people that are named. */
const max = { commits: 200, latest: 50, people: 3 } as const;

/** Answers who owns a file or definition, or else who changed it most. */
export async function answerOwners(inquiry: Inquiry): Promise<Statements | undefined> {
  const target = await findTarget(inquiry);
  if (target === undefined) return undefined;
  const { view, scope } = inquiry;
  const file = (await view.graph.get(scope, [target.file])).nodes[0];
  if (file === undefined) return undefined;
  const { owners } = await findOwners(view.graph, scope, target);
  const own = await targetSource(inquiry, target);
  const subject: Sentence = [nodePlace(inquiry, target.node), ...(own === undefined ? [] : [own])];
  const authors = await authorsSentence(inquiry, target, file);
  if (owners.length === 0) {
    const lead: Sentence = ['No owner is declared for ', ...subject, '.'];
    return {
      lead: authors === undefined ? [lead] : [lead, authors],
      reasons: [],
      sources: inquiry.code.slice(0, maxPassages),
      notes: [],
    };
  }
  const named = owners.slice(0, max.people).map(({ node }): Sentence => [plainText(node.name)]);
  const rule = owners[0]?.edge.evidence ?? '';
  const by = rule === '' ? '' : `, by ${inlineCode(rule)}`;
  const verb = owners.length === 1 ? 'owns' : 'own';
  return {
    lead: [[...joined(named, owners.length), ` ${verb} `, ...subject, `${by}.`]],
    reasons: authors === undefined ? [] : [authors],
    sources: inquiry.code.slice(0, maxPassages),
    notes: [],
  };
}

async function authorsSentence(
  inquiry: Inquiry,
  target: Target,
  node: GraphNode,
): Promise<Sentence | undefined> {
  const past = await readPast(inquiry, { ...target, node });
  return past === undefined ? knownAuthors(inquiry, target.file) : await authorsOf(inquiry, past.changes);
}

/** An account of a program that commits, such as one that updates dependencies. */
const isProgram = /\[bot\]$|(?:^|[\s_-])bot$|^(?:dependabot|renovate|github-actions)/iu;

/** Counts who wrote the latest commits of a file, without merges and programs. */
async function authorsOf(inquiry: Inquiry, changes: readonly PastChange[]): Promise<Sentence | undefined> {
  const recent = changes.filter(({ author }) => !isProgram.test(author)).slice(0, max.latest);
  const counts = new Map<string, PastChange[]>();
  for (const change of recent) counts.set(change.author, [...(counts.get(change.author) ?? []), change]);
  const top = [...counts].toSorted((a, b) => b[1].length - a[1].length).slice(0, max.people);
  const [first] = await describePast(
    inquiry,
    recent.filter(({ author }) => author === top[0]?.[0]).slice(0, 1),
    'recent change of the file',
  );
  if (first === undefined) return undefined;
  const people = top.map(([name, own], index): Sentence => {
    const last = own[0] && dayOf(own[0].node);
    const count = index === 0 ? `${own.length} of them` : `${own.length}`;
    return [`${plainText(name)} (${count}${last === undefined ? '' : `, the last on ${last}`})`];
  });
  const known = recent.length === 1 ? 'Its only known commit' : `Its last ${recent.length} commits`;
  return [`${known} came from `, ...joined(people, counts.size), first.source, '.'];
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
