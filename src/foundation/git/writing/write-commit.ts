import { InvalidInput } from '../../kernel/errors.ts';
import { untilAborted } from '../../net/until-aborted.ts';
import { isObjectId } from '../commit-id.ts';
import { gitOutput } from '../spawn-git.ts';
import { type CommitLimits, commitPaths } from './commit-paths.ts';
import { isStagingRef } from './context-refs.ts';
import { copyFailure } from './copy-failure.ts';
import { FastImport } from './fast-import.ts';

export interface FileChange {
  /** From the root of the repository, as `writablePathFault` has it. */
  readonly path: string;
  /** `null` deletes the file; one that is not there is no fault. Not changed by its owner any more. */
  readonly content: Uint8Array | null;
}

export interface CommitAuthor {
  readonly name: string;
  readonly email: string;
}

/** Hosts refuse pushes above 2 GB. */
const defaultCommitLimits: CommitLimits = { maxFiles: 100_000, maxBytes: 1024 ** 3 };

export interface CommitRequest {
  readonly gitDir: string;
  /** A whole commit id of this repository; `undefined`: the first commit of a branch. */
  readonly parent: string | undefined;
  /** Of two changes of one path the later counts. */
  readonly changes: Iterable<FileChange> | AsyncIterable<FileChange>;
  /** The folders of the root that may be written. */
  readonly roots: readonly string[];
  /** Whole, with its trailers. */
  readonly message: string;
  /** Committer as well. */
  readonly author: CommitAuthor;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** `refs/orgctx/staging/<number>`: the one ref that is moved, whatever it was before. */
  readonly stagingRef: string;
  readonly limits?: CommitLimits;
  readonly signal: AbortSignal;
}

export type WrittenCommit =
  | { readonly changed: true; readonly commit: string }
  /** Nothing differs from the parent: there is no new commit, and no staging ref. */
  | { readonly changed: false; readonly commit: string | undefined };

/**
 * Writes one commit on a parent, or nothing at all: the staging ref names a whole commit, or is not there. A file that is
 * written where the parent has a folder takes its place with all that is in it; a folder takes the place of a file.
 * Deleting never removes a folder.
 * @throws InvalidInput for a path, an author or an amount that is refused; GitError `torn`, `disk_full`; what `changes`
 * throws; the signal's reason.
 */
export async function writeCommit(request: CommitRequest): Promise<WrittenCommit> {
  checkRequest(request);
  request.signal.throwIfAborted();
  const fastImport = new FastImport(request.gitDir, request.signal);
  try {
    await fastImport.write(commitHeader(request));
    await writeChanges(fastImport, request);
    return await conclude(fastImport, request);
  } catch (error) {
    await fastImport.stop();
    await dropStagingRef(request);
    throw await copyFailure(request.gitDir, error);
  }
}

function checkRequest({ author, parent, stagingRef, message, time }: CommitRequest): void {
  if (parent !== undefined && !isObjectId(parent))
    throw new InvalidInput('A parent is named by its whole id.');
  if (!isStagingRef(stagingRef)) throw new InvalidInput(`${stagingRef} is no ref for staging.`);
  if (/[<>\p{Cc}]/u.test(author.name + author.email)) {
    throw new InvalidInput('The author of a commit holds a control character or an angle bracket.');
  }
  if (message.includes('\0')) throw new InvalidInput('The message of a commit holds a NUL character.');
  if (!Number.isSafeInteger(time) || time < 0) throw new InvalidInput('A commit has a time after 1970.');
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

/** A source that is asked for its next item and never answers holds nobody who is told to stop. */
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
    // Not awaited: it may hang as its `next` did.
    iterator.return?.().catch(() => undefined);
  }
}

/** `D` removes a folder with all that is in it, and here only files are meant: so each is looked at first. */
async function deleteFiles(fastImport: FastImport, paths: readonly string[]): Promise<void> {
  const found = await fastImport.askAll(paths.map((path) => `ls ${quoted(path)}\n`));
  const files = paths.filter((_path, index) => /^\d+ (?:blob|commit) /.test(found[index] ?? ''));
  for (const path of files) await fastImport.write(`D ${quoted(path)}\n`);
}

async function conclude(
  fastImport: FastImport,
  { parent, stagingRef }: CommitRequest,
): Promise<WrittenCommit> {
  const questions = ['ls ""\n', parent === undefined ? undefined : `ls ${parent} ""\n`, '\nget-mark :1\n'];
  const answers = await fastImport.askAll(questions.filter((question) => question !== undefined));
  const [commit = '', tree, former] = [answers.at(-1), answers[0], parent === undefined ? '' : answers[1]];
  const changed = treeOf(tree) !== (parent === undefined ? emptyTrees.get(commit.length) : treeOf(former));
  if (!changed) await fastImport.write(`reset ${stagingRef}\nfrom ${'0'.repeat(commit.length)}\n\n`);
  await fastImport.finish();
  return changed ? { changed, commit } : { changed, commit: parent };
}

/** `040000 tree <oid>\t` */
function treeOf(answer: string | undefined): string | undefined {
  return /^0?40000 tree ([\da-f]+)\t/.exec(answer ?? '')?.[1];
}

/** The folder with nothing in it, by the length of its id: SHA-1 and SHA-256. */
const emptyTrees: ReadonlyMap<number, string> = new Map([
  [40, '4b825dc642cb6eb9a060e54bf8d69288fbee4904'],
  [64, '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321'],
]);

/** git-fast-import(1), `<path>`. A checked path holds nothing that must be escaped. */
function quoted(path: string): string {
  return `"${path}"`;
}

/** The process may have got as far as its ref before it was stopped; what it left from before is of no use either. */
async function dropStagingRef({ gitDir, stagingRef }: CommitRequest): Promise<void> {
  await gitOutput(gitDir, ['update-ref', '-d', stagingRef]).catch(() => undefined);
}
