import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { openCodeSearch } from '../../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import type { Confidence, RankedPassage, RankedPassages } from '../../../src/backends/codesearch/port.ts';
import { rankRequest } from '../../../src/features/advisor/evidence/rank-question.ts';
import { readQuestion } from '../../../src/features/advisor/question/read-question.ts';
import { applyAndDefine, indexRequest } from '../../support/codesearch/index-request.ts';
import { openTestIndex } from '../../support/codesearch/open-test-index.ts';
import { seedOrganization, seedRepository } from '../../support/codesearch/seeded-repositories.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { silentLog } from '../../support/silent-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/**
 * `node test/bench/passages/run.ts --questions FILE [--misses] <bare repository>…`: asks the questions of a file about
 * the repositories and prints how well passages are ranked. A question is
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

/** A passage as it is scored. */
interface Shown {
  readonly path: string;
  readonly name: string | undefined;
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

/** Ranks the code of one repository for a question. */
type Ask = (question: string) => Promise<{ readonly passages: RankedPassages; readonly cpuMs: number }>;

async function openRepository(
  gitDir: string,
  name: string,
): Promise<{ ask: Ask; close: () => Promise<void> }> {
  const root = temporaryFolder();
  const database = await openTestDatabase('sqlite');
  const scope = await seedOrganization(database, 'bench');
  const to = execFileSync('git', [`--git-dir=${gitDir}`, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  const repository = await seedRepository(database, scope, { name: `bench/${name}`, indexedCommit: to });
  const index = openTestIndex({ root, log: silentLog });
  const request = indexRequest({ scope, repository, gitDir, to });
  const { signal } = new AbortController();
  await applyAndDefine(index, request);
  await index.compact(request, signal);
  const codeSearch = openCodeSearch({ root, log: silentLog, threads: 1 });
  return {
    ask: async (question) => {
      const asked = rankRequest(readQuestion(question), []);
      const started = process.cpuUsage();
      const { passages } = await codeSearch.rank(scope, { ...asked, limit: 50, waitMs: 60_000 }, signal);
      const { user, system } = process.cpuUsage(started);
      return { passages, cpuMs: (user + system) / 1000 };
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
  for (const { question } of about) await ask(question);
  for (const { question, places } of about) {
    const { passages, cpuMs } = await ask(question);
    const { best, confidence } = passages;
    const row = { name, measures: measure(best.map(shownPassage), places), confidence, cpuMs };
    rows.push(row);
    if (values.misses !== true || row.measures.first === 1) continue;
    console.log(
      `\n${name}: ${question}\n  right: ${places.join(', ')} (${row.measures.reciprocal.toFixed(2)})`,
    );
    for (const { path, definition, score, startLine } of best.slice(0, 5))
      console.log(`  ${score.toFixed(2)} ${path}:${startLine} ${definition?.name ?? '-'}`);
  }
  await close();
}

function shownPassage({ path, definition, lines }: RankedPassage): Shown {
  const characters = lines.reduce((sum, { text }) => sum + text.length + 1, 0);
  return { path, name: definition?.name, characters };
}

function measure(shown: readonly Shown[], places: readonly string[]): Measures {
  const isRight = (one: Shown, place: string): boolean => {
    const [file, name] = splitPlace(place);
    return isIn(one.path, file) && (name === undefined || one.name === name);
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
  readonly measures: Measures;
  readonly confidence: Confidence;
  readonly cpuMs: number;
}

const rows: Row[] = [];

function print(title: string, of: readonly Row[]): void {
  const mean = (value: (row: Row) => number): string =>
    (of.reduce((sum, row) => sum + value(row), 0) / of.length).toFixed(2);
  const measures = (['first', 'five', 'reciprocal', 'file', 'pack'] as const).map(
    (measured) => `${measured} ${mean((row) => row.measures[measured])}`,
  );
  console.log(
    `${title.padEnd(10)} ${String(of.length).padStart(3)}  ${measures.join('  ')}  cpu ${mean((row) => row.cpuMs)}`,
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
    `${word}: right ${said.filter(({ measures }) => measures.five === 1).length} of ${said.length}`,
  );
}
