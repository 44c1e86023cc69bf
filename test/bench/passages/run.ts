import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import {
  openCodeIndex,
  openCodeSearch,
} from '../../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import type { RankResult } from '../../../src/backends/codesearch/port.ts';
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

async function askAbout(gitDir: string, name: string): Promise<void> {
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
  for (const { question, places, repository: about } of questions) {
    if (about !== name) continue;
    const ask = async (withPassages: boolean): Promise<{ result: RankResult; cpuMs: number }> => {
      let result: RankResult | undefined;
      const started = process.cpuUsage();
      const rank: typeof patient.rank = async (inScope, asked) =>
        (result = await patient.rank(inScope, withPassages ? { ...asked, question } : asked, signal));
      await rankCode(
        { codeSearch: { rank }, queries: database.queries },
        scope,
        { prompt: question, limit: 50 },
        signal,
      );
      const { user, system } = process.cpuUsage(started);
      return { result: result ?? { files: [], unmatched: [] }, cpuMs: (user + system) / 1000 };
    };
    await ask(true);
    const before = await ask(false);
    const after = await ask(true);
    const { files } = after.result;
    const passages = after.result.passages?.best ?? [];
    const spans = files.flatMap(({ path, spans: [span], definitions }): Shown[] => {
      if (span === undefined) return [];
      const within = definitions.filter(({ line }) => line >= span.startLine && line <= span.endLine);
      return [{ path, names: within.map((each) => each.name), characters: span.text.length }];
    });
    const shown = passages.map(
      ({ path, definition, text }): Shown => ({
        path,
        names: definition === undefined ? [] : [definition.name],
        characters: text.length,
      }),
    );
    rows.push({
      name,
      question,
      places,
      spans: measure(spans, places),
      passages: measure(shown, places),
      sure: passages.slice(0, 5).reduce((sum, { probability }) => sum + probability, 0),
      cpuBefore: before.cpuMs,
      cpuAfter: after.cpuMs,
    });
    if (values.misses === true && rows.at(-1)!.passages.reciprocal < 1) {
      console.log(
        `\n${name}: ${question}\n  right: ${places.join(', ')} (${rows.at(-1)!.passages.reciprocal.toFixed(2)})`,
      );
      for (const { path, definition, score, startLine, reasons } of passages.slice(0, 5))
        console.log(
          `  ${score.toFixed(2)} ${path}:${startLine} ${definition?.name ?? '-'} ${reasons.join(' ')}`,
        );
    }
  }
  await codeSearch.close();
  await database.close();
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
  readonly question: string;
  readonly places: readonly string[];
  readonly spans: Measures;
  readonly passages: Measures;
  readonly sure: number;
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
for (const [word, least] of [
  ['likely', 0.8],
  ['possible', 0.5],
] as const) {
  const said = rows.filter(({ sure }) => sure >= least);
  console.log(
    `${word}: right ${said.filter(({ passages }) => passages.five === 1).length} of ${said.length}`,
  );
}
