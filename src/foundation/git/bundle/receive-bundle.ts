import { open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathExists } from '../../kernel/path-exists.ts';
import { buildBare } from '../build-bare.ts';
import { textOf } from '../git-dirs.ts';
import { diskFullWords, GitError } from '../git-error.ts';
import { defaultMirrorLimits, type MirrorLimits, withinLimits } from '../mirror-limits.ts';
import { joinPacks, removeUnfinishedPacks } from '../packs.ts';
import { gitOutput } from '../spawn-git.ts';
import { type BundleHeader, longestBundleHeader, parseBundleHeader } from './bundle-header.ts';
import { presentCommits } from './write-bundle.ts';

export interface ReceiveBundleRequest {
  /** The bare mirror; made where it is missing. One writer at a time. */
  readonly gitDir: string;
  /** The file of the bundle; `undefined` where nothing had to be sent. */
  readonly bundle: string | undefined;
  /** What the mirror's refs are to be, all of them, the first one its HEAD. */
  readonly tips: readonly [string, ...string[]];
  /** Commits whose parents the sender does not have. */
  readonly shallow: readonly string[];
  readonly limits?: MirrorLimits;
  readonly signal: AbortSignal;
}

/** `lacking`: the bundle builds on what is not here, or is damaged here. No ref was moved; a complete one is needed. */
export type Received = 'received' | 'lacking';

const tipRefs = 'refs/orgctx/tips/';

/**
 * Brings a bare mirror up to a bundle that somebody sent. What a bundle calls its commits is never looked at, and no
 * work tree exists, so neither names of refs nor of files in it lead anywhere. Hashes are verified, and that all which
 * the tips reach is here; only then do the refs move, all of them or none. A bundle that is complete makes the mirror
 * anew, which also mends one that lost objects: where one that builds on the mirror fails, nobody can tell which of the
 * two is at fault, so it is `lacking`.
 * @throws GitError `damaged` for a complete bundle that is broken or brings less than it should, and for what is no
 * bundle; `too_large`; `disk_full`; `timed_out`; the signal's reason
 */
export async function receiveBundle(request: ReceiveBundleRequest): Promise<Received> {
  const { bundle } = request;
  const header = bundle === undefined ? undefined : parseBundleHeader(await beginOf(bundle));
  const buildsOnMirror = header?.prerequisites.length !== 0;
  try {
    return await receive(request, header);
  } catch (error) {
    const failure = explained(error);
    if (buildsOnMirror && failure instanceof GitError && failure.reason === 'damaged') return 'lacking';
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
 * The commits that the refs of a mirror made by `receiveBundle` hold; none where there is no mirror.
 * @throws GitError `damaged` where it cannot be read
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
    await joinPacks(gitDir, signal);
    return received;
  } catch (error) {
    await dropNewPacks(gitDir, before, request.tips);
    throw error;
  }
}

/** Git says the same of a full disk as of a broken bundle, but for its words. */
function explained(error: unknown): unknown {
  const { stderr } = (error instanceof GitError && error.detail) || {};
  const isFull = typeof stderr === 'string' && /No space left on device|Disk quota exceeded/i.test(stderr);
  return isFull ? new GitError('disk_full', diskFullWords, { cause: error }) : error;
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
  const putBack = await replaceShallow(gitDir, shallow);
  try {
    // As fetch does: all that the new commits reach must be here.
    const connected = ['rev-list', '--objects', '--stdin', '--not', '--all', '--quiet'];
    await gitOutput(gitDir, connected, { input: `${tips.join('\n')}\n`, signal });
    await moveRefs(request);
  } catch (error) {
    await putBack();
    throw error;
  }
  return 'received';
}

async function initBare(folder: string, tip: string): Promise<void> {
  const format = tip.length === 64 ? 'sha256' : 'sha1';
  await gitOutput(folder, ['init', '--quiet', '--bare', '--template=', `--object-format=${format}`]);
  await gitOutput(folder, ['symbolic-ref', 'HEAD', `${tipRefs}0`]);
}

/** One transaction: readers of HEAD see the commits of before, or these. */
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

/** Gives what undoes it. */
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

/** What a refused bundle left: nothing leads to it. */
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

async function beginOf(file: string): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const begin = Buffer.alloc(longestBundleHeader);
    const { bytesRead } = await handle.read(begin, 0, longestBundleHeader, 0);
    return begin.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
