import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { simpleGit } from 'simple-git';
import { ensureContextRepository } from '../../src/foundation/git/writing/context-repository.ts';
import { addCommit, hostRepository, push, requestOf, write } from '../support/mirror/context-writer.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { median } from './statistics.ts';
import { sized } from './support/sized.ts';

/**
 * `node test/bench/git-writer.ts`: imports and changes 50,000 Markdown files of 1.46 KB in 100 folders with this
 * service and with simple-git (the baseline) and a work tree. The two alternate in one run; the ratios are the result.
 * This service syncs everything to disk, simple-git what Git syncs by default. Also measures the size on disk and the
 * cost of a push that is rejected because another one came first.
 */
const [files, folders, bytes, rounds] = sized([50_000, 100, 1_460, 7], [200, 10, 1_460, 1]);

const words = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'issue', 'state', 'owner'];
let seed = 1;
const random = (below: number): number => {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed % below;
};
function body(title: string): string {
  const text = [`# ${title}`];
  for (let length = text[0]?.length ?? 0; length < bytes; ) {
    const word = random(3) === 0 ? String(random(100_000)) : (words[random(words.length)] ?? '');
    text.push(word);
    length += word.length + 1;
  }
  return text.join(' ').slice(0, bytes);
}

const pathOf = (number: number): string =>
  `tracker/f${String(number % folders).padStart(2, '0')}/issue-${String(number).padStart(5, '0')}.md`;
const all = Object.fromEntries(Array.from({ length: files }, (_, n) => [pathOf(n), body(`Issue ${n}`)]));
const someOf = (count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, () => pathOf(random(files))).map((path) => [path, body(path)]),
  );

async function timed<T>(work: () => Promise<T>): Promise<{ readonly ms: number; readonly result: T }> {
  const started = performance.now();
  const result = await work();
  return { ms: performance.now() - started, result };
}

function report(what: string, ours: number, baseline: number, must: number, goal: number): void {
  const ratio = ours / baseline;
  const outcome = ratio <= goal ? 'holds, goal reached' : ratio <= must ? 'holds' : 'MISSED';
  const cells = [ours, baseline].map((value) => value.toFixed(value < 1_000 ? 1 : 0).padStart(9)).join('');
  console.log(`${what.padEnd(36)}${cells}  ${ratio.toFixed(2)} (must ${must}, goal ${goal}: ${outcome})`);
}

const root = temporaryFolder();
const remote = hostRepository(root, 'context.git');
remote.git('config', 'uploadpack.allowFilter', 'true');
remote.git('config', 'receive.autogc', 'false');
const request = requestOf(remote.gitDir);
let { tip } = await ensureContextRepository(request);

const tree = join(root, 'tree');
mkdirSync(tree);
const baseline = simpleGit({ baseDir: tree });
await baseline.init();
await baseline.addConfig('user.name', 'Bench').addConfig('user.email', 'bench@example.com');

async function writeBaseline(changes: Readonly<Record<string, string>>, paths: string[]): Promise<void> {
  for (const [path, text] of Object.entries(changes)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  }
  await baseline.add(paths);
  await baseline.commit('Bench');
}

async function writeOurs(changes: Readonly<Record<string, string>>): Promise<void> {
  tip = (await write(request, tip, changes)).commit;
}

console.log(`${'milliseconds'.padEnd(36)}     ours baseline  ratio`);
const imported = await timed(() => writeOurs(all));
const baselineImport = await timed(() => writeBaseline(all, ['.']));
report(`import of ${files} files`, imported.ms, baselineImport.ms, 0.4, 0.3);

// Measured right after the import, because later commits of the work tree leave loose objects.
const size = folderBytes(request.gitDir);
const packed = join(root, 'packed.git');
execFileSync('git', ['clone', '--quiet', '--bare', '--no-local', tree, packed]);
execFileSync('git', ['--git-dir', packed, 'gc', '--quiet'], { stdio: 'ignore' });
const packedSize = folderBytes(packed);

for (const [count, must, goal] of [
  [1, 0.15, 0.08],
  [100, 0.35, 0.25],
] as const) {
  const [ours, others]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    const changes = someOf(count);
    ours.push((await timed(() => writeOurs(changes))).ms);
    others.push((await timed(() => writeBaseline(changes, Object.keys(changes)))).ms);
  }
  report(
    `commit of ${count} file${count === 1 ? '' : 's'}, median of ${rounds}`,
    median(ours),
    median(others),
    must,
    goal,
  );
}

const same =
  tip === undefined ? '' : execFileSync('git', ['--git-dir', request.gitDir, 'rev-parse', `${tip}^{tree}`]);
if (String(same).trim() !== (await baseline.revparse(['HEAD^{tree}'])))
  throw new Error('the two trees differ');

await push(request, tip ?? '');
const blobless = requestOf(remote.gitDir);
({ tip } = await ensureContextRepository(blobless));
const [plain, rejected]: [number[], number[]] = [[], []];
for (let round = 0; round < rounds; round += 1) {
  const written = await write(blobless, tip, someOf(1));
  plain.push((await timed(() => push(blobless, written.commit ?? ''))).ms);
  const changes = someOf(1);
  const stale = await write(blobless, written.commit, changes);
  addCommit(remote.gitDir, someOf(1));
  if ((await push(blobless, stale.commit ?? '')) !== 'rejected') throw new Error('the push was not rejected');
  const again = await timed(async () => {
    ({ tip } = await ensureContextRepository(blobless));
    const { commit = '' } = await write(blobless, tip, changes);
    if ((await push(blobless, commit)) !== 'pushed') throw new Error('the second push was rejected');
    return commit;
  });
  rejected.push(again.ms);
  tip = again.result;
}
report('rejected push with retry, plain push', median(rejected), median(plain), 4, 4);
console.log(`${'megabytes'.padEnd(36)}     ours   packed  ratio`);
report('size after the import', size / 1e6, packedSize / 1e6, 1.5, 1.5);
report('size of the blobless copy', folderBytes(blobless.gitDir) / 1e6, packedSize / 1e6, 1.5, 0.15);

function folderBytes(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return entries.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
