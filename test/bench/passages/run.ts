import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import {
  openCodeIndex,
  openCodeSearch,
} from '../../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import type { Confidence, RankedPassage, RankResult } from '../../../src/backends/codesearch/port.ts';
import { patientSearch } from '../../../src/features/advisor/patient-search.ts';
import { rankCode } from '../../../src/features/advisor/ranking/rank-code.ts';
import { applyAndDefine, indexRequest } from '../../support/codesearch/index-request.ts';
import { seedOrganization, seedRepository } from '../../support/codesearch/seeded-repositories.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { silentLog } from '../../support/silent-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/**
 * `node test/bench/passages/run.ts --questions FILE [--misses] <bare repository>…`: asks the questions of a file about
 * the repositories and prints how well passages are ranked, beside the best spans of the ranked files. A question is
 * `{ "repository", "question", "places": ["<end of a path>:<name of a definition>" or "<end of a path>"] }`. The name of
 * a repository is that of its folder, or for `.git` and `repo` the end of its parent's (`owner+name/repo`).
 *
 * Printed: the share of questions with a right place first and among the first five, the mean reciprocal rank, the share
 * whose first passage is in a right file, the share of the right places inside 1,200 tokens, and the processor time of a
 * question.
 */
const { values, positionals } = parseArgs({
  options: { questions: { type: 'string' }, misses: { type: 'boolean' } },
  allowPositionals: true,
});
if (values.questions === undefined || positionals.length === 0) {
  console.error('usage: node test/bench/passages/run.ts --questions FILE [--misses] <bare repository>…');
  process.exit(2);
}
const questions = z
  .array(z.object({ repository: z.string(), question: z.string(), places: z.array(z.string()) }))
  .parse(JSON.parse(readFileSync(values.questions, 'utf8')));

/** A passage or span as it is scored. */
interface Shown {
  readonly path: string;
  /** Names of the definitions whose lines it shows. */
  readonly names: readonly string[];
  readonly characters: number;
}

interface Measures {
  readonly first: number;
  readonly five: number;
  readonly reciprocal: number;
  readonly file: number;
  readonly pack: number;
}

const pack = { tokens: 1_200, passage: 350, address: 25 } as const;

/** Ranks the code of one repository for a question, with or without passages. */
type Ask = (
  question: string,
  withPassages: boolean,
) => Promise<{ readonly result: RankResult; readonly cpuMs: number }>;

async function openRepository(
  gitDir: string,
  name: string,
): Promise<{ ask: Ask; close: () => Promise<void> }> {
  const root = temporaryFolder();
  const database = await openTestDatabase('sqlite');
  const scope = await seedOrganization(database, 'bench');
  const to = execFileSync('git', [`--git-dir=${gitDir}`, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  const repository = await seedRepository(database, scope, { name: `bench/${name}`, indexedCommit: to });
  const index = openCodeIndex({ root, log: silentLog });
  const request = indexRequest({ scope, repository, gitDir, to });
  const { signal } = new AbortController();
  await applyAndDefine(index, request);
  await index.compact(request, signal);
  const codeSearch = openCodeSearch({ root, log: silentLog, threads: 1 });
  const patient = patientSearch(codeSearch, { until: performance.now() + 600_000 });
  return {
    ask: async (question, withPassages) => {
      let result: RankResult | undefined;
      const started = process.cpuUsage();
      const rank: typeof patient.rank = async (inScope, asked) =>
        (result = await patient.rank(inScope, withPassages ? { ...asked, question } : asked, signal));
      const deps = { codeSearch: { rank }, queries: database.queries };
      await rankCode(deps, scope, { prompt: question, limit: 50 }, signal);
      const { user, system } = process.cpuUsage(started);
      return { result: result ?? { files: [], unmatched: [] }, cpuMs: (user + system) / 1000 };
    },
    close: async () => {
      await codeSearch.close();
      await database.close();
    },
  };
}

async function askAbout(gitDir: string, name: string): Promise<void> {
  const { ask, close } = await openRepository(gitDir, name);
  const about = questions.filter(({ repository }) => repository === name);
  // A thread is warm only after some questions.
  for (const { question } of about) await ask(question, true);
  for (const { question, places } of about) {
    const before = await ask(question, false);
    const after = await ask(question, true);
    const best = after.result.passages?.best ?? [];
    const row = {
      name,
      spans: measure(firstSpans(before.result), places),
      passages: measure(best.map(shownPassage), places),
      confidence: after.result.passages?.confidence ?? 'weak',
      cpuBefore: before.cpuMs,
      cpuAfter: after.cpuMs,
    };
    rows.push(row);
    if (values.misses !== true || row.passages.first === 1) continue;
    console.log(
      `\n${name}: ${question}\n  right: ${places.join(', ')} (${row.passages.reciprocal.toFixed(2)})`,
    );
    for (const { path, definition, score, startLine, reasons } of best.slice(0, 5))
      console.log(
        `  ${score.toFixed(2)} ${path}:${startLine} ${definition?.name ?? '-'} ${reasons.join(' ')}`,
      );
  }
  await close();
}

/** Returns the best span of each file, in the order of the files. */
function firstSpans({ files }: RankResult): Shown[] {
  return files.flatMap(({ path, spans: [span], definitions }) => {
    if (span === undefined) return [];
    const within = definitions.filter(({ line }) => line >= span.startLine && line <= span.endLine);
    return [{ path, names: within.map(({ name }) => name), characters: span.text.length }];
  });
}

function shownPassage({ path, definition, text }: RankedPassage): Shown {
  return { path, names: definition === undefined ? [] : [definition.name], characters: text.length };
}

function measure(shown: readonly Shown[], places: readonly string[]): Measures {
  const isRight = ({ path, names }: Shown, place: string): boolean => {
    const [file, name] = splitPlace(place);
    return isIn(path, file) && (name === undefined || names.includes(name));
  };
  const rank = shown.findIndex((one) => places.some((place) => isRight(one, place)));
  const packed: Shown[] = [];
  let left: number = pack.tokens;
  for (const one of shown) {
    const need = Math.min(pack.passage, Math.ceil(one.characters / 4)) + pack.address;
    if (need > left) continue;
    left -= need;
    packed.push(one);
  }
  const held = places.filter((place) => packed.some((one) => isRight(one, place))).length;
  return {
    first: rank === 0 ? 1 : 0,
    five: rank >= 0 && rank < 5 ? 1 : 0,
    reciprocal: rank < 0 ? 0 : 1 / (rank + 1),
    file:
      shown[0] !== undefined && places.some((place) => isIn(shown[0]!.path, splitPlace(place)[0])) ? 1 : 0,
    pack: held / places.length,
  };
}

function splitPlace(place: string): [string, string | undefined] {
  const at = place.lastIndexOf(':');
  return at < 0 ? [place, undefined] : [place.slice(0, at), place.slice(at + 1)];
}

function isIn(path: string, file: string): boolean {
  return path === file || path.endsWith(`/${file}`);
}

interface Row {
  readonly name: string;
  readonly spans: Measures;
  readonly passages: Measures;
  readonly confidence: Confidence;
  readonly cpuBefore: number;
  readonly cpuAfter: number;
}

const rows: Row[] = [];

function print(title: string, of: readonly Row[]): void {
  const mean = (value: (row: Row) => number): string =>
    (of.reduce((sum, row) => sum + value(row), 0) / of.length).toFixed(2);
  const line = (kind: 'spans' | 'passages'): string =>
    (['first', 'five', 'reciprocal', 'file', 'pack'] as const)
      .map((measured) => mean((row) => row[kind][measured]))
      .join(' ');
  console.log(
    `${title.padEnd(10)} ${String(of.length).padStart(3)}  spans ${line('spans')}  passages ${line('passages')}  ` +
      `cpu ${mean((row) => row.cpuBefore)} ${mean((row) => row.cpuAfter)}`,
  );
}

for (const gitDir of positionals) {
  const folder = basename(gitDir);
  const parent = basename(dirname(gitDir)).split('+').at(-1)!;
  const name = folder === 'repo' || folder === '.git' ? parent : folder;
  await askAbout(gitDir, name);
  print(
    name,
    rows.filter((row) => row.name === name),
  );
}
print('all', rows);
for (const word of ['likely', 'possible', 'weak'] as const) {
  const said = rows.filter(({ confidence }) => confidence === word);
  console.log(
    `${word}: right ${said.filter(({ passages }) => passages.five === 1).length} of ${said.length}`,
  );
}
