import { InvalidInput } from '../../kernel/errors.ts';
import { untilAborted } from '../../net/until-aborted.ts';
import { isObjectId } from '../objects/commit-id.ts';
import { gitOutput } from '../process/spawn-git.ts';
import { type CommitLimits, commitPaths } from './commit-paths.ts';
import { isStagingRef } from './context-refs.ts';
import { copyFailure } from './copy-failure.ts';
import { FastImport } from './fast-import.ts';

export interface FileChange {
  /** Path from the root of the repository, permitted by `writablePathError`. */
  readonly path: string;
  /** The new content; `null` deletes the file, if it exists. The caller must not change it afterwards. */
  readonly content: Uint8Array | null;
}

export interface CommitAuthor {
  readonly name: string;
  readonly email: string;
}

/** Default limits. Hosts refuse pushes above 2 GB. */
const defaultCommitLimits: CommitLimits = { maxFiles: 100_000, maxBytes: 1024 ** 3 };

export interface CommitRequest {
  readonly gitDir: string;
  /** Full commit id in this repository; `undefined` for the first commit of a branch. */
  readonly parent: string | undefined;
  /** Changes. Of two changes of one path the later one applies. */
  readonly changes: Iterable<FileChange> | AsyncIterable<FileChange>;
  /** Top-level folders that may be written. */
  readonly roots: readonly string[];
  /** Full message, including trailers. */
  readonly message: string;
  /** Author and committer. */
  readonly author: CommitAuthor;
  /** Time of the commit, in milliseconds since the epoch. */
  readonly time: number;
  /** `refs/orgctx/staging/<number>`: the only ref that is moved. A former value is replaced. */
  readonly stagingRef: string;
  /** True to write a commit even if nothing differs from the parent. */
  readonly evenIfUnchanged?: boolean;
  readonly limits?: CommitLimits;
  readonly signal: AbortSignal;
}

export type WrittenCommit =
  | { readonly changed: true; readonly commit: string }
  /** Nothing differs from the parent, so there is no new commit and no staging ref. */
  | { readonly changed: false; readonly commit: string | undefined };

/**
 * Writes one commit on a parent, or nothing: the staging ref names a complete commit or does not exist. A file
 * replaces a folder of the parent at the same path with everything in it; a folder replaces a file. A deletion never
 * removes a folder.
 * @throws InvalidInput for a path, an author or an amount that is refused; GitError `torn`, `disk_full`; any error of
 * `changes`; the signal's reason.
 */
export async function writeCommit(request: CommitRequest): Promise<WrittenCommit> {
  checkRequest(request);
  request.signal.throwIfAborted();
  const fastImport = new FastImport(request.gitDir, request.signal);
  try {
    await fastImport.write(commitHeader(request));
    await writeChanges(fastImport, request);
    return await complete(fastImport, request);
  } catch (error) {
    await fastImport.stop();
    await dropStagingRef(request);
    throw await copyFailure(request.gitDir, error);
  }
}

function checkRequest({ author, parent, stagingRef, message, time }: CommitRequest): void {
  if (parent !== undefined && !isObjectId(parent))
    throw new InvalidInput('A parent must be given by its full id.');
  if (!isStagingRef(stagingRef)) throw new InvalidInput(`${stagingRef} is not a staging ref.`);
  if (/[<>\p{Cc}]/u.test(author.name + author.email)) {
    throw new InvalidInput(
      'The author of a commit must not contain a control character or an angle bracket.',
    );
  }
  if (message.includes('\0'))
    throw new InvalidInput('The message of a commit must not contain a NUL character.');
  if (!Number.isSafeInteger(time) || time < 0)
    throw new InvalidInput('The time of a commit must be after 1970.');
}

function commitHeader({ stagingRef, author, time, message, parent }: CommitRequest): string {
  const person = `${author.name} <${author.email}> ${Math.floor(time / 1_000)} +0000`;
  const from = parent === undefined ? '' : `from ${parent}\n`;
  return `commit ${stagingRef}\nmark :1\nauthor ${person}\ncommitter ${person}\ndata ${Buffer.byteLength(message)}\n${message}\n${from}`;
}

async function writeChanges(fastImport: FastImport, request: CommitRequest): Promise<void> {
  const { changes, roots, limits = defaultCommitLimits } = request;
  const paths = commitPaths(roots, limits);
  for await (const { path, content } of abortable(changes, request.signal)) {
    paths.take(path, content);
    if (content === null) continue;
    await fastImport.write(`M 100644 inline ${quoted(path)}\ndata ${content.length}\n`, content, '\n');
  }
  await deleteFiles(fastImport, paths.deleted());
}

/** Iterates over items and stops when `signal` is aborted, even if the next item never arrives. */
async function* abortable<T>(
  items: Iterable<T> | AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void> {
  if (Symbol.iterator in items) {
    yield* items;
    return;
  }
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await untilAborted(Promise.resolve(iterator.next()), signal);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // Not awaited, because it may hang like `next`.
    iterator.return?.().catch(() => undefined);
  }
}

/** Deletes files. `D` would also delete a folder with everything in it, so the type of each path is read first. */
async function deleteFiles(fastImport: FastImport, paths: readonly string[]): Promise<void> {
  const found = await fastImport.askAll(paths.map((path) => `ls ${quoted(path)}\n`));
  const files = paths.filter((_path, index) => /^\d+ (?:blob|commit) /.test(found[index] ?? ''));
  for (const path of files) await fastImport.write(`D ${quoted(path)}\n`);
}

async function complete(
  fastImport: FastImport,
  { parent, stagingRef, evenIfUnchanged = false }: CommitRequest,
): Promise<WrittenCommit> {
  const commands = ['ls ""\n', parent === undefined ? undefined : `ls ${parent} ""\n`, '\nget-mark :1\n'];
  const responses = await fastImport.askAll(commands.filter((command) => command !== undefined));
  const [commit = '', tree, former] = [
    responses.at(-1),
    responses[0],
    parent === undefined ? '' : responses[1],
  ];
  const formerTree = parent === undefined ? emptyTrees.get(commit.length) : treeOf(former);
  const changed = evenIfUnchanged || treeOf(tree) !== formerTree;
  if (!changed) await fastImport.write(`reset ${stagingRef}\nfrom ${'0'.repeat(commit.length)}\n\n`);
  await fastImport.finish();
  return changed ? { changed, commit } : { changed, commit: parent };
}

/** Returns the tree id of `040000 tree <oid>\t`. */
function treeOf(response: string | undefined): string | undefined {
  return /^0?40000 tree ([\da-f]+)\t/.exec(response ?? '')?.[1];
}

/** The id of the empty tree, by its length: SHA-1 and SHA-256. */
const emptyTrees: ReadonlyMap<number, string> = new Map([
  [40, '4b825dc642cb6eb9a060e54bf8d69288fbee4904'],
  [64, '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321'],
]);

/** Quotes a path for git-fast-import(1), `<path>`. A checked path contains nothing that must be escaped. */
function quoted(path: string): string {
  return `"${path}"`;
}

/** Deletes the staging ref: the process may have moved it before it was stopped, and a former value is of no use. */
async function dropStagingRef({ gitDir, stagingRef }: CommitRequest): Promise<void> {
  await gitOutput(gitDir, ['update-ref', '-d', stagingRef]).catch(() => undefined);
}
