import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { completeSource } from './complete-source.ts';
import { openFullText } from './fts.ts';
import { type ServedOrganization, serveOrganization } from './organization.ts';
import { type Half, halves, inHalf, type Question, readQuestions } from './questions.ts';
import { report, type Scored } from './report.ts';
import { type Given, type Place, scoreOf } from './score.ts';
import { findSource, placesOf, readSources } from './sources.ts';

/**
 * `npm run build && node test/bench/answers/run.ts --repositories DIR [--build DIST]… [--half a|b|odd|even] [--only ID]
 * [--questions FILE] [--data DIR] [--show]`: scores the answers to the questions of `questions-*.json`, of the built
 * program (or of several builds, with their dependencies next to them) and of the full-text search of SQLite over
 * definitions. DIR has clones named `owner+name/repo` or `name`. `--data` keeps the indexes for the next run. `--show`
 * prints each answer.
 */
const { values } = parseArgs({
  options: {
    repositories: { type: 'string' },
    build: { type: 'string', multiple: true },
    half: { type: 'string' },
    only: { type: 'string' },
    questions: { type: 'string' },
    data: { type: 'string' },
    show: { type: 'boolean', default: false },
  },
});
const { repositories: root, half } = values;
if (root === undefined || (half !== undefined && !halves.includes(half as Half))) {
  console.error(
    'usage: node test/bench/answers/run.ts --repositories DIR [--build DIST]… [--half a|b|odd|even]',
  );
  process.exit(2);
}
const maxShown = 600;
const ownBuild = fileURLToPath(new URL('../../../dist', import.meta.url));
const builds = (values.build ?? [ownBuild]).map((each) => resolve(each));
for (const build of builds)
  if (!existsSync(join(build, 'orgctx.js')))
    throw new Error(`${build} has no orgctx.js: run \`npm run build\` first.`);
const dataDir = values.data === undefined ? temporaryFolder() : resolve(values.data);
const all = readQuestions(values.questions);
const chosen = inHalf(all, half as Half | undefined).filter(
  ({ id }) => values.only === undefined || id === values.only,
);
if (chosen.length === 0) throw new Error('No question was chosen.');

const anchor = 'FTS5';
const answers = new Map<string, Scored[]>([anchor, ...builds].map((name) => [name, []]));
for (const name of new Set(chosen.map(({ organization }) => organization))) await askOrganization(name);
report([...answers].map(([name, scored]) => ({ name: shortName(name), answers: scored })));

async function askOrganization(name: string): Promise<void> {
  const names = new Set(
    all.filter(({ organization }) => organization === name).flatMap(({ repositories }) => repositories),
  );
  const folders = readdirSync(root!);
  const copies = join(dataDir, 'sources');
  mkdirSync(copies, { recursive: true });
  const sources = [...names]
    .toSorted()
    .map((each) => completeSource(findSource(root!, each, folders), copies));
  const files = await readSources(sources);
  const asked = chosen
    .filter(({ organization }) => organization === name)
    .map((question) => ({ question, places: placesOf(question, files) }));
  const search = openFullText(files);
  for (const { question, places } of asked) {
    const given = search(question.question);
    add(anchor, question, places, {
      given,
      tokens: tokensOf(given.citations.map(({ excerpt }) => excerpt).join('\n')),
    });
  }
  for (const build of builds) {
    const started = performance.now();
    const served = await serveOrganization({
      name,
      program: join(build, 'orgctx.js'),
      dataDir: join(dataDir, `${name}-${createHash('sha256').update(build).digest('hex').slice(0, 8)}`),
      sources,
    });
    console.error(
      `${name}: read by ${shortName(build)} in ${((performance.now() - started) / 1_000).toFixed(0)} s`,
    );
    try {
      for (const { question, places } of asked)
        add(build, question, places, await answerOf(served, question));
    } finally {
      await served.stop();
    }
  }
}

interface Answered {
  readonly given: Given;
  readonly ms?: number;
  readonly tokens?: number;
}

/** Asks a question. An error is an answer without sources. */
async function answerOf(served: ServedOrganization, { id, question }: Question): Promise<Answered> {
  try {
    const { given, ...answered } = await served.ask(question);
    const text = await served.advise(question);
    return { ...answered, given: { ...given, text }, tokens: tokensOf(text) };
  } catch (error) {
    console.error(`${id}: ${String(error)}`);
    return { given: { answer: '', citations: [] } };
  }
}

function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

function add(name: string, question: Question, places: readonly Place[], answered: Answered): void {
  const { given, ...measured } = answered;
  const score = scoreOf(question, places, given);
  answers.get(name)!.push({ question, score, ...measured });
  if (!values.show) return;
  const { points, first, five, facts, isSure, isLikely } = score;
  const words = [isSure ? 'sure' : '', isLikely ? 'likely' : ''].filter(Boolean).join(', ');
  console.log(
    `\n## ${question.id} ${shortName(name)}: ${points} (first ${first}, five ${five}, facts ${facts}) ${words}`,
  );
  console.log(question.question);
  console.log(
    `expected: ${[...question.places, ...question.facts.map((fact) => fact.join('|'))].join('; ')}`,
  );
  for (const { repository = '', path = '', startLine = '', endLine = '', title } of given.citations.slice(
    0,
    5,
  ))
    console.log(`  ${repository}/${path}:${startLine}-${endLine} ${title.slice(0, 80)}`);
  console.log(given.answer.slice(0, maxShown));
}

/** Returns the name of the folder of a build, or of its parent if that is `dist`. */
function shortName(build: string): string {
  return basename(build) === 'dist' ? basename(dirname(build)) : basename(build);
}
