import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { InvalidInput } from '../../src/foundation/kernel/errors.ts';
import {
  composedTerms,
  cutText,
  likelyTerms,
  literalTerms,
  type Term,
} from '../support/codesearch/generated-queries.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { writeCorpus } from './search/corpus.ts';
import { buildEmbedded, openEmbedded } from './search/embedded.ts';
import type { Question } from './search/questions.ts';
import { openRipgrep } from './search/ripgrep.ts';

/**
 * `node test/bench/exactness.ts [--queries 300] [--seed 1] <git folder>...`: sends generated queries over real
 * repositories to the engine and to `rg -l`, and compares the sets of files. Each difference is shrunk to a small
 * query. Exits with 1 when there is a difference, when fewer than nine of ten queries were answered, or when no query
 * finds anything. Queries that are refused or time out are printed, because they prove nothing.
 */
const { values, positionals: gitDirs } = parseArgs({
  options: { queries: { type: 'string', default: '300' }, seed: { type: 'string', default: '1' } },
  allowPositionals: true,
});
const queries = Number(values.queries);
if (gitDirs.length === 0 || !Number.isInteger(queries) || queries < 1) {
  console.error('usage: node test/bench/exactness.ts [--queries 300] [--seed 1] <git folder>...');
  process.exit(2);
}
/** Number of sampled lines that queries are made from; as many again of lines with non-ASCII text. */
const sampleSize = 30_000;
/** Minimum share of answered queries; random compositions can exceed the size limit of the engine. */
const minAnswered = 0.9;
/** Number of queries in a batch; a difference ends a batch, not the run. */
const batchSize = 10;

const root = temporaryFolder();
const checkout = join(root, 'checkout');
const index = join(root, 'index');
mkdirSync(index);
const corpus = writeCorpus(gitDirs, checkout);
await buildEmbedded(corpus, index, 'none');
const embedded = openEmbedded(index);
const ripgrep = openRipgrep(corpus);
const counts = { generated: 0, answered: 0, found: 0, files: 0, unanswered: 0, refused: 0, different: 0 };

const sampled = sampleLines();
const anyLine = fc.nat(sampled.ascii.length - 1).map((at) => sampled.ascii[at]!);
const beyondAscii = fc.nat(Math.max(0, sampled.beyond.length - 1)).map((at) => sampled.beyond[at]!);
const ofCode = { lines: anyLine, words: anyLine.map(wordOf) };
const ofText = { lines: beyondAscii, words: cutText(beyondAscii, 4) };
const kinds: readonly [string, fc.Arbitrary<Term>][] = [
  ['literals', literalTerms(ofCode)],
  ['typical patterns', likelyTerms(ofCode)],
  ['composed patterns', composedTerms(ofCode)],
];
const beyond: typeof kinds = [
  ['non-ASCII literals', literalTerms(ofText)],
  ['non-ASCII patterns', likelyTerms(ofText)],
];

console.log(
  `corpus: ${(corpus.bytes / 1e6).toFixed(1)} MB of text, ${corpus.files} files, ${gitDirs.length} repositories`,
);
const selectedKinds = sampled.beyond.length > 0 ? [...kinds, ...beyond] : kinds;
for (const [kind, terms] of selectedKinds) await compare(kind, terms);
await embedded.close();
console.log(
  `${counts.answered} queries answered, ${counts.found} of them found something, ${counts.files} files in total; ` +
    `${counts.different} differences; ${counts.unanswered} timed out, ${counts.refused} refused`,
);
const min = Math.ceil(Math.max(queries, counts.generated) * minAnswered);
const isMissed = counts.different > 0 || counts.answered < min || counts.found === 0;
console.log(`no difference in at least ${min} answered queries: ${isMissed ? 'MISSED' : 'holds'}`);
process.exitCode = isMissed ? 1 : 0;

async function compare(kind: string, terms: fc.Arbitrary<Term>): Promise<void> {
  const wanted = Math.ceil(queries / selectedKinds.length);
  const before = { ...counts };
  for (let batch = 0; batch * batchSize < wanted; batch++) {
    const property = fc.asyncProperty(terms, async (term) => (await difference(term)) === undefined);
    const run = await fc.check(property, { numRuns: batchSize, seed: Number(values.seed) * 1000 + batch });
    if (!run.failed) continue;
    counts.different += 1;
    const [term] = run.counterexample ?? [];
    const details = term && (await difference(term));
    console.log(`DIFFERENT: ${JSON.stringify(term)}: ${details ?? String(run.errorInstance)}`);
  }
  const of = (name: keyof typeof counts): number => counts[name] - before[name];
  console.log(
    `${kind}: ${of('answered')} queries answered, ${of('found')} found something, ${of('different')} differences`,
  );
}

/** Describes the difference of the two sets; `undefined` if they are equal or the engine gave no complete result. */
async function difference(term: Term): Promise<string | undefined> {
  const question = questionOf(term);
  counts.generated += 1;
  const found = await askEmbedded(question);
  if (found === undefined) return undefined;
  const expected = new Set(await ripgrep.all(question));
  counts.answered += 1;
  counts.found += expected.size > 0 ? 1 : 0;
  counts.files += expected.size;
  const missing = [...expected].filter((path) => !found.has(path));
  const extra = [...found].filter((path) => !expected.has(path));
  if (missing.length + extra.length === 0) return undefined;
  return `${missing.length} missing (${missing.slice(0, 3).join(', ')}), ${extra.length} unexpected (${extra.slice(0, 3).join(', ')})`;
}

async function askEmbedded(question: Question): Promise<Set<string> | undefined> {
  try {
    return new Set(await embedded.all(question));
  } catch (error) {
    if (error instanceof InvalidInput) counts.refused += 1;
    else if (error instanceof Error && error.message.endsWith(': deadline')) counts.unanswered += 1;
    else throw error;
    console.log(`not answered: ${question.text.slice(0, 120)}: ${error.message.slice(-200)}`);
    return undefined;
  }
}

function questionOf(term: Term): Question {
  const { kind: form, caseSensitive } = term;
  return { kind: form, form, text: term.kind === 'literal' ? term.text : term.source, caseSensitive };
}

/** Samples lines at regular intervals, so that the sample covers the whole corpus. */
function sampleLines(): { ascii: string[]; beyond: string[] } {
  const all = { ascii: [] as string[], beyond: [] as string[] };
  for (const entry of readdirSync(checkout, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    for (const line of readFileSync(join(entry.parentPath, entry.name), 'utf8').split('\n')) {
      const text = line.slice(0, 400).toWellFormed();
      if (text === '' || text.includes('\0') || text.includes('\ufffd')) continue;
      (/^[\0-\x7f]*$/.test(text) ? all.ascii : all.beyond).push(text);
    }
  }
  const thin = (lines: readonly string[]): string[] => {
    const step = Math.max(1, Math.floor(lines.length / sampleSize));
    return lines.filter((_, at) => at % step === 0);
  };
  return { ascii: thin(all.ascii), beyond: thin(all.beyond) };
}

function wordOf(line: string): string {
  return /\w{2,}/.exec(line)?.[0] ?? 'return';
}
