import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openCodeSearch } from '../../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import { silentLog } from '../../support/silent-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type Corpus, writeCorpus } from '../search/corpus.ts';
import { buildEmbedded } from '../search/embedded.ts';
import { readTruth, type Target, type Truth } from './draw.ts';
import { embeddedLookUp, type LookUp, rankingOf } from './look-up.ts';
import { openZoektLookUp } from './zoekt-look-up.ts';

/**
 * `node test/bench/definitions/run.ts [--zoekt <folder of its programs>] [--misses] <git folder>...`: looks up names
 * that are defined once in their repository, by the bare name over the whole corpus, and prints the rank of the file
 * that defines the name: in our order, in path order, and in Zoekt's order. tree-sitter provides the ground truth. A
 * hash draws the names, equally many of each language and from every kind of path. Names that occur in few or very many
 * files are skipped, because a look-up has nothing to order or is not realistic. Half of the names served to tune the
 * weights; the other half is held out. The baselines are the other two orders.
 */
const symbols = 200;
const fileCount = { min: 3, max: 400 };
const { values, positionals: gitDirs } = parseArgs({
  options: { zoekt: { type: 'string' }, misses: { type: 'boolean' } },
  allowPositionals: true,
});
if (
  gitDirs.length === 0 ||
  (values.zoekt !== undefined && !existsSync(join(values.zoekt, 'zoekt-webserver')))
) {
  console.error(
    'usage: node test/bench/definitions/run.ts [--zoekt <folder of its programs>] [--misses] <git folder>...',
  );
  process.exit(2);
}

const root = temporaryFolder();
const folder = (name: string): string => {
  mkdirSync(join(root, name), { recursive: true });
  return join(root, name);
};
const corpus = writeCorpus(gitDirs, folder('checkout'));
console.log(
  `corpus: ${(corpus.bytes / 1e6).toFixed(1)} MB, ${corpus.files} files, ${gitDirs.length} repositories`,
);
await buildEmbedded(corpus, folder('index'), 'none');
const truth = await readTruth(corpus);
await compare(corpus, truth);

async function compare(of: Corpus, targets: Truth): Promise<void> {
  const search = openCodeSearch({ root: folder('index'), log: silentLog });
  const ours = embeddedLookUp(search);
  const zoekt =
    values.zoekt === undefined ? undefined : await openZoektLookUp(of, values.zoekt, folder('zoekt'));
  const chosen: Target[] = [];
  for (const found of targets.values())
    chosen.push(...(await chooseFrom(found, ours, symbols / targets.size)));
  const engines: [string, LookUp][] = [
    ['our order', ours],
    ['path order', async (name) => (await ours(name)).toSorted()],
    ...(zoekt === undefined ? [] : [[zoekt.name, zoekt.lookUp] as [string, LookUp]]),
  ];
  console.log(
    `\n${chosen.length} definitions; held out: ${chosen.filter((each) => !each.isForTuning).length}`,
  );
  for (const [name, lookUp] of engines) await printRanking(name, lookUp, chosen);
  await search.close();
  await zoekt?.close();
}

async function chooseFrom(found: readonly Target[], lookUp: LookUp, wanted: number): Promise<Target[]> {
  const chosen: Target[] = [];
  for (const target of found) {
    if (chosen.length >= wanted) break;
    const { length } = await lookUp(target.name);
    if (length >= fileCount.min && length <= fileCount.max) chosen.push(target);
  }
  return chosen;
}

async function printRanking(name: string, lookUp: LookUp, chosen: readonly Target[]): Promise<void> {
  const ranks = new Map<Target, number>();
  for (const target of chosen) {
    const files = await lookUp(target.name);
    const rank = files.indexOf(target.file) + 1;
    ranks.set(target, rank);
    if (values.misses === true && rank !== 1)
      console.log(
        `  ${name}: ${target.name} is ${rank} of ${files.length}: ${target.file}, first ${files[0]}`,
      );
  }
  const groups: [string, readonly Target[]][] = [
    ['held out', chosen.filter((target) => !target.isForTuning)],
    ['tuning', chosen.filter((target) => target.isForTuning)],
    ...Map.groupBy(chosen, (target) => target.language),
  ];
  for (const [group, targets] of groups) {
    const { first, five, reciprocal } = rankingOf(targets.map((target) => ranks.get(target)!));
    const numbers = `top-1 ${percent(first)}  top-5 ${percent(five)}  MRR ${reciprocal.toFixed(3)}`;
    console.log(`${name.padEnd(20)} ${group.padEnd(11)} ${numbers}  of ${targets.length}`);
  }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`.padStart(7);
}
