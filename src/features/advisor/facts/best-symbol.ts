import type { GraphNode } from '../../../backends/graph/port.ts';
import { fileKey, placeOfKey } from '../../knowledge/links/keys.ts';
import type { CodeSource, Evidence } from '../answer.ts';
import { splitWords } from '../split-words.ts';
import type { Inquiry } from './inquiry.ts';
import { targetOf } from './target.ts';
import { targetSource } from './target-source.ts';
import { isTestPath } from './test-path.ts';

/** Number of the best files whose definitions are compared, and of definitions of a file. */
const max = { files: 6, symbols: 400 } as const;
/** The penalty of a lower rank, and the bonus of a word of the question in the path. */
const weight = { rank: 0.15, path: 0.12 } as const;
/** The score by which a definition must exceed a passage to be named. */
const margin = 0.1;
const minorKinds = /^(?:type|interface|variable|constant|field|property)$/u;

/**
 * Returns the definition in the best files whose name and path say best what is asked, if they say it better than the
 * passage that ranks first. A ranking finds files; which definition of a file answers, its name tells.
 */
export async function findBestSymbol(
  inquiry: Inquiry,
  first: Evidence<CodeSource>,
): Promise<Evidence<CodeSource> | undefined> {
  const { view, scope, code, ranked } = inquiry;
  const words = new Set(ranked.subject.terms.flatMap(stemsOf));
  const product = code.filter(({ kind, path }) => kind === 'code' && !isTestPath(path));
  const files = [...new Set(product.map(({ repositoryId, path }) => fileKey(repositoryId, path)))];
  const traversal = {
    from: files.slice(0, max.files),
    direction: 'out',
    kinds: ['contains'],
    depth: 1,
  } as const;
  const limits = { perNode: max.symbols, limit: max.symbols * max.files };
  const { nodes } = await view.graph.neighbours(scope, { ...traversal, ...limits });
  const symbols = nodes.filter(({ kind }) => kind === 'symbol');
  const said = coverageOf(
    words,
    symbols.map(({ name }) => name),
  );
  const scoreOf = (name: string, kind: string, key: string): number => {
    const inPath = new Set(stemsOf(key).filter((word) => words.has(word))).size;
    const score = said(name) * (minorKinds.test(kind) ? 0.5 : 1);
    return score === 0 ? 0 : score + weight.path * inPath - weight.rank * Math.max(0, files.indexOf(key));
  };
  const found = symbols
    .map((node) => ({ node, score: scoreOf(node.name, String(node.props['kind']), fileOf(node)) }))
    .toSorted((a, b) => b.score - a.score)[0];
  const { definition, repositoryId, path } = first;
  const known =
    definition === undefined ? 0 : scoreOf(definition.name, definition.kind, fileKey(repositoryId, path));
  return found === undefined || found.score <= known + margin ? undefined : sourceOf(inquiry, found.node);
}

/** Splits a text into words, stemmed twice: `filtered` becomes `filter`, and `filter` something shorter. */
function stemsOf(text: string): string[] {
  return splitWords(splitWords(text).join(' '));
}

function fileOf({ key }: GraphNode): string {
  const place = placeOfKey(key);
  return fileKey(place?.repositoryId ?? '', place?.path ?? '');
}

/**
 * Returns a function that tells how much of a question a name says: the share of the question's words, rare ones more,
 * and the share of the name that they are.
 */
function coverageOf(words: ReadonlySet<string>, names: readonly string[]): (name: string) => number {
  const counts = new Map<string, number>();
  for (const name of names)
    for (const word of new Set(stemsOf(name)))
      if (words.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const weightOf = (word: string): number => Math.log(1 + names.length / (counts.get(word) ?? names.length));
  const total = [...counts.keys()].reduce((sum, word) => sum + weightOf(word), 0);
  return (name) => {
    const own = stemsOf(name);
    const found = [...new Set(own)].filter((word) => counts.has(word));
    if (found.length === 0 || total === 0) return 0;
    const covered = found.reduce((sum, word) => sum + weightOf(word), 0) / total;
    return covered + (0.4 * found.length) / own.length;
  };
}

async function sourceOf(inquiry: Inquiry, node: GraphNode): Promise<Evidence<CodeSource> | undefined> {
  const target = targetOf(node, false);
  const passage = inquiry.code.find(
    ({ path, repositoryId }) => path === target?.path && repositoryId === target.repositoryId,
  );
  if (target === undefined || passage === undefined) return undefined;
  const source = await targetSource(inquiry, target);
  if (source?.startLine === undefined || source.endLine === undefined) return undefined;
  const { kind, startLine } = node.props;
  const { heading: _heading, summary: _summary, ...rest } = passage;
  return {
    ...rest,
    uri: source.uri,
    url: source.url,
    title: source.title,
    excerpt: source.excerpt,
    startLine: source.startLine,
    endLine: source.endLine,
    definition: {
      name: node.name,
      kind: typeof kind === 'string' ? kind : 'definition',
      line: typeof startLine === 'number' ? startLine : source.startLine,
    },
    ...(source.summary === undefined ? {} : { summary: source.summary }),
  };
}
