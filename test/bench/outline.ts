import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import {
  type FileSymbol,
  languageOf,
  languages,
  maxFileBytes,
  ParseQueue,
  type SourceText,
} from '../../src/backends/languages/port.ts';
import { silentLog } from '../support/silent-log.ts';
import { openTags, tagsIn } from './symbols/tags.ts';

/**
 * `node test/bench/outline.ts [--missed COUNT] [--sample COUNT] FOLDER...`: the recall of our definitions,
 * by language, against the functions, methods and types that Universal Ctags and the tags query of the grammar both find
 * (against Ctags alone where the grammar has no tags). `--missed` prints what we lack. `--sample` prints our functions,
 * methods and types that neither finds, drawn by a fixed rule, to judge them: the precision.
 */
const { values, positionals: folders } = parseArgs({
  options: { missed: { type: 'string', default: '0' }, sample: { type: 'string', default: '0' } },
  allowPositionals: true,
});
if (folders.length === 0) {
  console.error('usage: node test/bench/outline.ts [--missed COUNT] [--sample COUNT] FOLDER...');
  process.exit(2);
}
const soughtOfCtags = new Set(
  'function method singletonMethod class interface struct enum trait type typedef union record object func talias implementation'.split(
    ' ',
  ),
);
const soughtOfOurs = new Set(['function', 'method', 'class', 'interface', 'struct', 'enum', 'type']);

const queue = new ParseQueue({ log: silentLog });
const tags = await openTags();
for (const folder of folders) await compare(folder);
await queue.close();

interface Row {
  both: number;
  found: number;
  ours: number;
  readonly alone: string[];
  readonly missed: string[];
}

async function compare(folder: string): Promise<void> {
  const files = sourcesIn(folder);
  const byCtags = readCtags(folder);
  const parsed = await queue.parseFiles(files, new AbortController().signal);
  const rows = new Map<string, Row>();
  for (const [index, file] of files.entries()) {
    const result = parsed[index]!;
    if ('failed' in result) continue;
    const row = rows.get(file.language) ?? { both: 0, found: 0, ours: 0, alone: [], missed: [] };
    rows.set(file.language, row);
    addFile(row, file, result.symbols, byCtags.get(file.path) ?? new Set());
  }
  console.log(`\n${folder}: ${files.length} files`);
  for (const [language, row] of rows) printRow(language, row);
}

function addFile(
  row: Row,
  file: SourceText,
  symbols: readonly FileSymbol[],
  listed: ReadonlySet<string>,
): void {
  const ours = new Set(symbols.map(placeOf));
  const tagged = tagsIn(tags, file);
  const lines = file.text.split('\n');
  const shown = (place: string): string =>
    `${file.path}:${place}: ${(lines[Number(place.split(' ', 1)[0]) - 1] ?? '').trim().slice(0, 120)}`;
  for (const place of listed) {
    if (tagged !== undefined && !tagged.has(place)) continue;
    row.both++;
    if (ours.has(place)) row.found++;
    else row.missed.push(shown(place));
  }
  for (const symbol of symbols.filter(({ kind }) => soughtOfOurs.has(kind))) {
    row.ours++;
    const place = placeOf(symbol);
    if (!listed.has(place) && tagged?.has(place) !== true) row.alone.push(`${symbol.kind} ${shown(place)}`);
  }
}

function printRow(language: string, { both, found, ours, alone, missed }: Row): void {
  const recall = both === 0 ? '-' : (found / both).toFixed(3);
  console.log(
    `${language.padEnd(12)} recall ${recall} of ${both}; ours ${ours}, ${alone.length} found by us alone`,
  );
  for (const each of drawn(missed, Number(values.missed))) console.log(`  missed ${each}`);
  for (const each of drawn(alone, Number(values.sample))) console.log(`  alone ${each}`);
}

function placeOf({ line, name }: Pick<FileSymbol, 'line' | 'name'>): string {
  return `${line} ${name}`;
}

/** Draws items at equal distances. */
function drawn(all: readonly string[], count: number): readonly string[] {
  const step = Math.max(1, all.length / Math.max(1, count));
  return Array.from({ length: Math.min(count, all.length) }, (_, index) => all[Math.floor(index * step)]!);
}

function readCtags(folder: string): ReadonlyMap<string, ReadonlySet<string>> {
  const args = ['-R', '--output-format=json', '--fields=+nK', '--links=no', '-f', '-', '.'];
  const output = execFileSync('ctags', args, { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 30 });
  const places = new Map<string, Set<string>>();
  for (const line of output.split('\n')) {
    if (!line.startsWith('{')) continue;
    const { path, name, line: number, kind } = JSON.parse(line) as Record<string, unknown>;
    if (
      typeof path !== 'string' ||
      !soughtOfCtags.has(String(kind)) ||
      /^(?:__anon|anonymous|<lambda>|Companion$)/.test(String(name))
    )
      continue;
    const key = path.replace(/^\.\//, '');
    const known = places.get(key) ?? new Set();
    places.set(key, known.add(`${String(number)} ${String(name)}`));
  }
  return places;
}

function sourcesIn(folder: string): readonly SourceText[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => ({ path, language: languageOf(path) }))
    .filter(({ path, language }) => {
      const stat = statSync(join(folder, path), { throwIfNoEntry: false });
      return languages.has(language) && stat?.isFile() === true && stat.size <= maxFileBytes;
    })
    .map(({ path, language }) => ({
      path: relative('.', path),
      language,
      text: readFileSync(join(folder, path), 'utf8'),
    }));
}
