import { open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathExists } from '../../kernel/path-exists.ts';
import { buildBare } from '../mirror/build-bare.ts';
import { defaultMirrorLimits, type MirrorLimits, withinLimits } from '../mirror/mirror-limits.ts';
import { mergePacks, removeUnfinishedPacks } from '../mirror/packs.ts';
import { textOf } from '../process/git-dirs.ts';
import { diskFullMessage, GitError } from '../process/git-error.ts';
import { gitOutput } from '../process/spawn-git.ts';
import { type BundleHeader, maxBundleHeaderLength, parseBundleHeader } from './bundle-header.ts';
import { presentCommits } from './write-bundle.ts';

export interface ReceiveBundleRequest {
  /** The bare mirror; created if missing. Only one writer at a time. */
  readonly gitDir: string;
  /** Path of the bundle file; `undefined` if nothing had to be sent. */
  readonly bundle: string | undefined;
  /** The complete new list of the mirror's refs. The first becomes its HEAD. */
  readonly tips: readonly [string, ...string[]];
  /** Commits whose parents the sender does not have. */
  readonly shallow: readonly string[];
  readonly limits?: MirrorLimits;
  readonly signal: AbortSignal;
}

/**
 * The outcome. `lacking`: the bundle depends on commits that are missing or damaged here. No ref was moved; a
 * complete bundle is needed.
 */
export type Received = 'received' | 'lacking';

const tipRefs = 'refs/orgctx/tips/';

/**
 * Updates a bare mirror from a received bundle. Ref names in the bundle are ignored and there is no work tree, so
 * names of refs and files in it have no effect. Hashes are verified, as well as that everything the tips reach is
 * present; only then are the refs moved, all of them or none. A complete bundle rebuilds the mirror, which also
 * repairs one that lost objects. If a bundle that depends on the mirror fails, the cause may be either of the two, so
 * the outcome is `lacking`.
 * @throws GitError `damaged` for a complete bundle that is broken or incomplete, and for data that is not a bundle;
 * `too_large`; `disk_full`; `timed_out`; the signal's reason
 */
export async function receiveBundle(request: ReceiveBundleRequest): Promise<Received> {
  const { bundle } = request;
  const header = bundle === undefined ? undefined : parseBundleHeader(await readStart(bundle));
  const dependsOnMirror = header?.prerequisites.length !== 0;
  try {
    return await receive(request, header);
  } catch (error) {
    const failure = convertDiskFull(error);
    if (dependsOnMirror && failure instanceof GitError && failure.reason === 'damaged') return 'lacking';
    throw failure;
  }
}

async function receive(request: ReceiveBundleRequest, header: BundleHeader | undefined): Promise<Received> {
  const { gitDir, bundle } = request;
  const isThere = await pathExists(gitDir);
  if (bundle === undefined || header === undefined) return isThere ? moveTo(request) : 'lacking';
  if (header.prerequisites.length > 0) return isThere ? addTo(request, bundle, header) : 'lacking';
  return buildBare(gitDir, async (folder) => {
    await initBare(folder, request.tips[0]);
    return within({ ...request, gitDir: folder }, (one) => unbundle(one, bundle));
  });
}

/**
 * Returns the commits of the refs of a mirror made by `receiveBundle`; none if there is no mirror.
 * @throws GitError `damaged` if it cannot be read
 */
export async function mirrorTips(gitDir: string): Promise<readonly string[]> {
  if (!(await pathExists(gitDir))) return [];
  const output = await gitOutput(gitDir, ['for-each-ref', '--format=%(objectname)', tipRefs]);
  return [...new Set(output.toString('latin1').split('\n').filter(Boolean))];
}

async function moveTo(request: ReceiveBundleRequest): Promise<Received> {
  const { gitDir, tips, signal } = request;
  if ((await presentCommits(gitDir, tips, signal)).length < tips.length) return 'lacking';
  await moveRefs(request);
  return 'received';
}

async function addTo(
  request: ReceiveBundleRequest,
  bundle: string,
  { prerequisites }: BundleHeader,
): Promise<Received> {
  const { gitDir, signal } = request;
  await removeUnfinishedPacks(gitDir);
  if ((await presentCommits(gitDir, prerequisites, signal)).length < prerequisites.length) return 'lacking';
  const before = await packFiles(gitDir);
  try {
    const received = await within(request, (one) => unbundle(one, bundle));
    await mergePacks(gitDir, signal);
    return received;
  } catch (error) {
    await dropNewPacks(gitDir, before, request.tips);
    throw error;
  }
}

/** Converts an error caused by a full disk. Git reports it like a broken bundle, except for the message. */
function convertDiskFull(error: unknown): unknown {
  const { stderr } = (error instanceof GitError && error.detail) || {};
  const isFull = typeof stderr === 'string' && /No space left on device|Disk quota exceeded/i.test(stderr);
  return isFull ? new GitError('disk_full', diskFullMessage, { cause: error }) : error;
}

function within(
  request: ReceiveBundleRequest,
  work: (request: ReceiveBundleRequest) => Promise<Received>,
): Promise<Received> {
  const { limits = defaultMirrorLimits, gitDir, signal } = request;
  return withinLimits(limits, gitDir, signal, (bounded) => work({ ...request, signal: bounded }));
}

async function unbundle(request: ReceiveBundleRequest, bundle: string): Promise<Received> {
  const { gitDir, tips, shallow, signal } = request;
  await gitOutput(gitDir, ['bundle', 'verify', '--quiet', bundle], { signal });
  await gitOutput(gitDir, ['bundle', 'unbundle', bundle], { signal });
  const restore = await replaceShallow(gitDir, shallow);
  try {
    // Everything that the new commits reach must be present, as in `git fetch`.
    const connected = ['rev-list', '--objects', '--stdin', '--not', '--all', '--quiet'];
    await gitOutput(gitDir, connected, { input: `${tips.join('\n')}\n`, signal });
    await moveRefs(request);
  } catch (error) {
    await restore();
    throw error;
  }
  return 'received';
}

async function initBare(folder: string, tip: string): Promise<void> {
  const format = tip.length === 64 ? 'sha256' : 'sha1';
  await gitOutput(folder, ['init', '--quiet', '--bare', '--template=', `--object-format=${format}`]);
  await gitOutput(folder, ['symbolic-ref', 'HEAD', `${tipRefs}0`]);
}

/** Moves all refs in one transaction: readers of HEAD see either the former or the new commits. */
async function moveRefs({ gitDir, tips, signal }: ReceiveBundleRequest): Promise<void> {
  const output = await gitOutput(gitDir, ['for-each-ref', '--format=%(refname)', tipRefs]);
  const former = output.toString('latin1').split('\n').filter(Boolean);
  const wanted = new Map(tips.map((tip, index) => [`${tipRefs}${index}`, tip]));
  const lines = [
    ...former.filter((ref) => !wanted.has(ref)).map((ref) => `delete ${ref}`),
    ...[...wanted].map(([ref, tip]) => `update ${ref} ${tip}`),
  ];
  await gitOutput(gitDir, ['update-ref', '--stdin'], { input: `${lines.join('\n')}\n`, signal });
}

/** Replaces the list of shallow commits. Returns a function that restores the former one. */
async function replaceShallow(gitDir: string, shallow: readonly string[]): Promise<() => Promise<void>> {
  if (shallow.length === 0) return async () => {};
  const file = join(gitDir, 'shallow');
  const former = await textOf(file);
  const replace = async (text: string): Promise<void> => {
    const next = `${file}.next`;
    await writeFile(next, text, { mode: 0o600, flush: true });
    await rename(next, file);
  };
  await replace(`${shallow.join('\n')}\n`);
  return () => (former === undefined ? rm(file, { force: true }) : replace(`${former}\n`));
}

/** Deletes the packs of a refused bundle, which no ref reaches. */
async function dropNewPacks(
  gitDir: string,
  before: ReadonlySet<string>,
  tips: readonly string[],
): Promise<void> {
  const moved = await mirrorTips(gitDir).catch(() => tips);
  if (moved.some((tip) => tips.includes(tip))) return;
  for (const name of await packFiles(gitDir)) {
    if (!before.has(name)) await rm(join(gitDir, 'objects', 'pack', name), { force: true });
  }
}

async function packFiles(gitDir: string): Promise<ReadonlySet<string>> {
  return new Set(await readdir(join(gitDir, 'objects', 'pack')).catch(() => []));
}

async function readStart(file: string): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const begin = Buffer.alloc(maxBundleHeaderLength);
    const { bytesRead } = await handle.read(begin, 0, maxBundleHeaderLength, 0);
    return begin.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
