import type { GraphNode } from '../../../../backends/graph/port.ts';
import { visibleLine } from '../../../../foundation/kernel/text/visible-text.ts';
import { type RelatedNode, reached, step } from '../../../knowledge/queries/related-node.ts';
import { quoted, type Sentence } from '../../answer/statements.ts';
import type { Source } from '../../answer.ts';
import { inlineCode, plainText } from '../../text/markdown.ts';
import { rarities } from '../../text/rarity.ts';
import { splitWords } from '../../text/split-words.ts';
import type { Inquiry } from '../inquiry.ts';
import { commitSource, dayOf } from '../targets/node-source.ts';

/** A commit with what is known of it. */
export interface Change {
  readonly node: GraphNode;
  readonly source: Source;
  readonly authors: readonly string[];
  /** Issues that it names or closes. */
  readonly issues: readonly RelatedNode[];
  readonly pulls: readonly RelatedNode[];
  /** The sentences of its body that explain it, and the issues and advisories that it names, if it was read. */
  readonly explanation?: readonly string[];
  readonly references?: readonly string[];
}

/** Maximum number of commits of a file that are compared. */
const maxCompared = 2000;

/** Returns the commits that touched any of some files, newest first. */
export async function commitsOf(
  { view, scope }: Inquiry,
  files: readonly string[],
): Promise<readonly GraphNode[]> {
  if (files.length === 0) return [];
  const traversal = { from: files, direction: 'in', kinds: ['touches'], depth: 1 } as const;
  const found = await view.graph.neighbours(scope, {
    ...traversal,
    perNode: maxCompared,
    limit: maxCompared,
  });
  return found.nodes.filter(({ kind }) => kind === 'commit').toSorted((a, b) => timeOf(b) - timeOf(a));
}

export function timeOf({ props }: GraphNode): number {
  return typeof props['time'] === 'number' ? props['time'] : 0;
}

/** Returns the commits whose subjects share most words with the question, best first; none without a common word. */
export function similarTo(inquiry: Inquiry, commits: readonly GraphNode[]): readonly GraphNode[] {
  const wanted = new Set(inquiry.ranked.subject.terms.flatMap(splitWords));
  const words = new Map(commits.map((node) => [node.key, new Set(splitWords(node.name))]));
  const weights = rarities(wanted, [...words.values()]);
  const score = ({ key }: GraphNode): number => {
    let sum = 0;
    for (const [word, weight] of weights) if (words.get(key)?.has(word) === true) sum += weight;
    return sum;
  };
  return commits
    .map((node) => ({ node, score: score(node) }))
    .filter((entry) => entry.score > 0)
    .toSorted((a, b) => b.score - a.score || timeOf(b.node) - timeOf(a.node))
    .map(({ node }) => node);
}

/**
 * Reads who wrote some commits and which issues and pull requests they belong to. Keeps their order. The graph lacks
 * the commits of merged branches: their authors are `known` by the key of the commit.
 */
export async function describeChanges(
  inquiry: Inquiry,
  commits: readonly GraphNode[],
  reason?: string,
  known: ReadonlyMap<string, string> = new Map(),
): Promise<readonly Change[]> {
  if (commits.length === 0) return [];
  const { view, scope } = inquiry;
  const found = await step(view.graph, scope, {
    from: commits.map(({ key }) => key),
    direction: 'out',
    kinds: ['authored_by', 'mentions', 'closes', 'part_of'],
  });
  return commits.flatMap((node) => {
    const own = { ...found, edges: found.edges.filter(({ from }) => from === node.key) };
    const of = (kind: GraphNode['kind']): readonly RelatedNode[] => reached(own, [node.key], [kind]);
    // The author comes before the co-authors.
    const people = of('person')
      .toSorted((a, b) => Number(b.edge.rule === 'author') - Number(a.edge.rule === 'author'))
      .map(({ node: person }) => visibleLine(person.name));
    const author = known.get(node.key);
    const authors = [...new Set(author === undefined ? people : [author, ...people.slice(1)])];
    const source = commitSource(inquiry, node, { authors, ...(reason === undefined ? {} : { reason }) });
    return source === undefined ? [] : [{ node, source, authors, issues: of('issue'), pulls: of('pr') }];
  });
}

const mergeSubject = /^Merge (?:commit|pull request|branch|remote)\b/iu;

/** Describes a commit: its subject, date, authors and number. */
export function changeText({ node, source, authors, pulls, references = [] }: Change): Sentence {
  const pull = pulls[0]?.node.name;
  const facts = [
    inlineCode((source.commit ?? '').slice(0, 9)),
    dayOf(node),
    authors.length === 0 ? undefined : authors.slice(0, 2).map(plainText).join(' and '),
    pull === undefined || node.name.includes(pull) ? undefined : plainText(pull),
    // The subject of a merge says nothing itself.
    mergeSubject.test(node.name) ? references.map(inlineCode).join(', ') : undefined,
  ];
  return [`${quoted(node.name, 100)} (${facts.filter(Boolean).join(', ')})`, source];
}
