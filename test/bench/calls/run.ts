import { existsSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { languageOf, maxFileBytes } from '../../../src/backends/codesearch/port.ts';
import type { ParsedFile, SourceText } from '../../../src/backends/languages/port.ts';
import { languages, ParseQueue } from '../../../src/backends/languages/port.ts';
import { silentLog } from '../../support/silent-log.ts';
import { sized } from '../support/sized.ts';
import { graphCalls, readManifests } from './graph-calls.ts';
import { judgeCalls } from './judge-calls.ts';
import { hasCalls, type KnownCall, knownCalls } from './known-calls.ts';

/**
 * `node test/bench/calls/run.ts --server COMMAND [--language NAME] [--calls COUNT] [--known FILE] [--show COUNT]
 * FOLDER`: compares the call edges of the graph with what a language server says of the same calls: the precision of
 * certain edges, also of those to names with three or more owners, the recall of certain and of possible ones, and the
 * number of possible targets of a call. Commands: `tsc --lsp --stdio`, `pyright-langserver --stdio`,
 * `gopls`. `--known` keeps the answers of the server in a file and reads them from there; `--show` prints calls that
 * differ. Exits with 1 when a bound is exceeded.
 */
const { values, positionals } = parseArgs({
  options: {
    server: { type: 'string' },
    language: { type: 'string', multiple: true, default: [] },
    calls: { type: 'string', default: '4000' },
    known: { type: 'string' },
    show: { type: 'string', default: '0' },
  },
  allowPositionals: true,
});
if (positionals.length !== 1 || values.server === undefined) {
  console.error('usage: node test/bench/calls/run.ts --server COMMAND [--language NAME] FOLDER');
  process.exit(2);
}
const folder = realpathSync(positionals[0]!);
const files = sourcesIn(folder);
const asked = files.filter(({ language }) => hasCalls(language));
const queue = new ParseQueue({ log: silentLog, maxMatches: 1e6 });
const results = await queue.parseFiles(files, new AbortController().signal);
await queue.close();
const parsed = results.flatMap((result): ParsedFile[] => ('failed' in result ? [] : [result]));
const known = await readKnown();
const calls = graphCalls(parsed, readManifests(folder));
const lines = new Map(files.map(({ path, text }) => [path, text.split('\n')]));
const report = judgeCalls(parsed, calls, known, (path, line) => lines.get(path)?.[line - 1] ?? '');
const { certain, common, recall, possible } = report;
console.log(`${folder}: ${parsed.length} files, ${known.length} calls asked about`);
const edges = new Set(
  calls.map(({ from, certainty, target }) => `${certainty} ${from} ${target.path}#${target.qualifiedName}`),
);
const sure = [...edges].filter((edge) => edge.startsWith('certain ')).length;
console.log(`  edges of calls: ${sure} certain, ${edges.size - sure} possible`);
console.log(
  `  the server knows ${report.inside} calls to definitions of the folder, ${report.elsewhere} to others`,
);
console.log(`  certain edges: ${share(certain)} right; to names with three or more owners ${share(common)}`);
console.log(`  recall: certain ${share(recall.certain)}, certain and possible ${share(recall.any)}`);
console.log(
  `  possible targets of a call: median ${possible.median}, p90 ${possible.p90}; kept as text ${report.text}`,
);
for (const line of report.differences.slice(0, Number(values.show))) console.log(line);

const bounds = {
  precision: 0.97,
  any: 0.9,
  certain: parsed.some(({ language }) => language === 'Python') ? 0.45 : 0.6,
};
const precision = (ratio(certain) + ratio(common)) / 2;
const isMet =
  precision >= bounds.precision &&
  ratio(recall.any) >= bounds.any &&
  ratio(recall.certain) >= bounds.certain &&
  possible.median <= 3;
console.log(
  `  precision of a sample, half of it on common names: ${precision.toFixed(3)}; bounds ${isMet ? 'met' : 'missed'}`,
);
if (!isMet && sized(true, false)) process.exitCode = 1;

function ratio({ right, all }: { readonly right: number; readonly all: number }): number {
  return all === 0 ? 1 : right / all;
}

function share(counts: { readonly right: number; readonly all: number }): string {
  return `${ratio(counts).toFixed(3)} (${counts.right} of ${counts.all})`;
}

async function readKnown(): Promise<readonly KnownCall[]> {
  const { known: file, server } = values;
  if (file !== undefined && existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as KnownCall[];
  const answers = await knownCalls(server!.split(' '), folder, asked, sized(Number(values.calls), 50));
  if (file !== undefined) writeFileSync(file, JSON.stringify(answers));
  return answers;
}

function sourcesIn(root: string): readonly SourceText[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\/(?:node_modules|_?vendor)(?:\/|$)/u.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => languages.has(languageOf(path)) && statSync(path).size <= maxFileBytes)
    .filter((path) => values.language.length === 0 || values.language.includes(languageOf(path)))
    .toSorted()
    .map((path) => ({
      path: relative(root, path),
      language: languageOf(path),
      text: readFileSync(path, 'utf8'),
    }));
}
