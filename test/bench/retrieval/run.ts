import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { percentile } from '../statistics.ts';
import { rankByBm25, rankByVotes } from './baselines.ts';
import { type CorpusFile, CorpusReader } from './corpus.ts';
import { git } from './git.ts';
import { bootstrap, mean, type Quality, qualityOf } from './measures.ts';
import { type Asked, openProduct } from './product.ts';
import { drawQueries, isInCorpus, type Query } from './queries.ts';
import { type TouchedDefinition, touchedDefinitions } from './touched-definitions.ts';

/**
 * `npm run bench:retrieval -- REPOSITORY [--queries COUNT] [--mode subject|full] [--save FILE] [--against FILE]
 * [--misses]`: how well the ranking and the evidence pack find the files that past changes of a bare repository edited,
 * given only the message of the change and the commit before it. Compared in the same run with a search for each word
 * and with BM25 over whole words; `--against` compares with the results that another run saved, and `--misses` prints
 * the questions whose first file is wrong.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    queries: { type: 'string', default: '300' },
    mode: { type: 'string', default: 'subject' },
    save: { type: 'string' },
    against: { type: 'string' },
    misses: { type: 'boolean', default: false },
  },
});
const [gitDir] = positionals;
if (gitDir === undefined) throw new Error('Name a bare repository.');
const mode = values.mode === 'full' ? 'full' : 'subject';

interface Result {
  readonly id: string;
  /** Ranks only the files that the other rankings rank, too. */
  readonly product: Quality;
  /** Ranks all indexed files, as the product answers. */
  readonly everything: Quality;
  readonly votes: Quality;
  readonly bm25: Quality;
  readonly packFiles: number;
  /** `undefined` if the change edited no definition. */
  readonly packDefinitions: number | undefined;
  readonly rankMs: number;
  readonly packMs: number;
}

const queries = drawQueries(gitDir, Number(values.queries), mode);
const corpora = new CorpusReader(gitDir);
const opened = await openProduct(gitDir, git(gitDir, ['rev-parse', 'HEAD']).trim());
const results: Result[] = [];
let corpusSize = 0;
for (const query of queries) {
  const corpus = corpora.at(query.parent);
  if (!query.files.every((path) => corpus.some((file) => file.path === path))) continue;
  corpusSize = corpus.length;
  await opened.index(query.parent);
  const asked = await opened.ask(query.text);
  const result = resultOf(query, corpus, asked, await touchedDefinitions(gitDir, query, corpus));
  results.push(result);
  if (values.misses && result.product.reciprocalRank < 0.5) printMiss(query, asked);
}
await opened.close();
print();

function resultOf(
  query: Query,
  corpus: readonly CorpusFile[],
  { files, passages, rankMs, packMs }: Asked,
  touched: readonly TouchedDefinition[],
): Result {
  const paths = files.map(({ path }) => path);
  const packed = new Set(passages.map(({ path }) => path));
  const isPacked = ({ path, line, lastLine }: TouchedDefinition): boolean =>
    passages.some(
      (passage) =>
        passage.path === path && passage.startLine <= line && passage.endLine >= Math.min(lastLine, line + 2),
    );
  return {
    id: query.id,
    product: qualityOf(paths.filter(isInCorpus), query.files),
    everything: qualityOf(paths, query.files),
    votes: qualityOf(rankByVotes(corpus, query.text), query.files),
    bm25: qualityOf(rankByBm25(corpus, query.text), query.files),
    packFiles: query.files.filter((path) => packed.has(path)).length / query.files.length,
    packDefinitions: touched.length === 0 ? undefined : touched.filter(isPacked).length / touched.length,
    rankMs,
    packMs,
  };
}

function printMiss(query: Query, { files }: Asked): void {
  console.log(`? ${query.text.split('\n', 1)[0]}`);
  console.log(`  changed: ${query.files.join(' ')}`);
  for (const { path, score, reasons } of files.slice(0, 4))
    console.log(`  ${score.toFixed(3)} ${path} (${reasons.join('; ')})`);
}

function print(): void {
  console.log(`${gitDir}: ${results.length} queries (${mode}), ${corpusSize} files at the last one`);
  console.log('ranking              R@5   R@10   R@20    MRR');
  const rankings = [
    ['product', 'product'],
    ['  of all files', 'everything'],
    ['BM25, whole words', 'bm25'],
    ['votes of words', 'votes'],
  ] as const;
  for (const [name, key] of rankings) {
    const of = (measure: keyof Quality): string =>
      mean(results.map((result) => result[key][measure]))
        .toFixed(3)
        .padStart(6);
    console.log(
      `${name.padEnd(18)} ${of('recall5')} ${of('recall10')} ${of('recall20')} ${of('reciprocalRank')}`,
    );
  }
  const definitions = results.flatMap(({ packDefinitions }) => packDefinitions ?? []);
  console.log(
    `pack of 8,000 tokens: changed files ${mean(results.map(({ packFiles }) => packFiles)).toFixed(3)}, edited definitions ${mean(definitions).toFixed(3)} (${definitions.length} queries)`,
  );
  const times = (key: 'rankMs' | 'packMs'): string => {
    const all = results.map((result) => result[key]);
    return `p50 ${percentile(all, 0.5).toFixed(0)} ms, p95 ${percentile(all, 0.95).toFixed(0)} ms`;
  };
  console.log(`ranking ${times('rankMs')}; with the pack ${times('packMs')}`);
  compare(
    'BM25, whole words',
    results.map(({ product, bm25 }) => product.reciprocalRank - bm25.reciprocalRank),
  );
  compare(
    'votes of words',
    results.map(({ product, votes }) => product.reciprocalRank - votes.reciprocalRank),
  );
  if (values.against !== undefined) compareWithSaved(values.against);
  if (values.save !== undefined) writeFileSync(values.save, JSON.stringify(results));
}

function compare(name: string, differences: readonly number[]): void {
  const { mean: average, low, high } = bootstrap(differences);
  const signed = (value: number): string => `${value < 0 ? '' : '+'}${value.toFixed(3)}`;
  console.log(`MRR against ${name}: ${signed(average)} [${signed(low)}, ${signed(high)}]`);
}

/** Compares with another run, for the queries that both have. */
function compareWithSaved(file: string): void {
  const saved = new Map(
    (JSON.parse(readFileSync(file, 'utf8')) as Result[]).map((result) => [result.id, result]),
  );
  compare(
    file,
    results.flatMap(({ id, product }) => {
      const other = saved.get(id);
      return other === undefined ? [] : [product.reciprocalRank - other.product.reciprocalRank];
    }),
  );
}
