import { type BatchAnswer, BatchOutput } from './batch-output.ts';
import { isObjectId } from './commit-id.ts';
import { GitError } from './git-error.ts';
import { boundedPacks, type RunningGit, spawnGit } from './spawn-git.ts';

interface Request {
  readonly type: 'blob' | 'tree';
  readonly maxBytes: number;
  readonly resolve: (answer: BatchAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Starts one Git process that reads blobs of a mirror until it is closed. An aborted `signal` ends it, and every open
 * read fails with its reason.
 */
export function openBlobReader(gitDir: string, signal?: AbortSignal): BlobReader {
  return new BlobReader(
    spawnGit(gitDir, [...boundedPacks, 'cat-file', '--batch-command', '--buffer'], signal),
  );
}

export class BlobReader implements AsyncDisposable {
  readonly #git: RunningGit;
  readonly #requests: Request[] = [];
  /** Commands of this turn, sent together: a system call for each blob would cost more than the blob. */
  #unsent = '';
  #failure: unknown;

  constructor(git: RunningGit) {
    this.#git = git;
    const output = new BatchOutput({
      limit: () => this.#requests[0]?.maxBytes ?? 0,
      type: () => this.#requests[0]?.type ?? 'blob',
      answer: (answer) => this.#requests.shift()?.resolve(answer),
    });
    git.child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    git.ended.then(
      () => this.#fail(closed()),
      (error: unknown) => this.#fail(error),
    );
  }

  /**
   * The bytes of a blob: `too_large` above `maxBytes`, `missing` when there is no such blob or its header is broken. Keep some dozens of reads
   * under way, asked for in one turn: answers come in order, at the speed of Git itself. The buffer may share memory with its neighbours, so
   * copy what you keep.
   * @throws GitError `damaged` when an object is broken; the reader is of no more use then.
   */
  read(oid: string, maxBytes: number): Promise<BatchAnswer> {
    return this.#ask('blob', oid, oid, maxBytes);
  }

  /** The bytes of a tree, or of the tree of a commit, under the rules of `read`. */
  readTree(oid: string, maxBytes: number): Promise<BatchAnswer> {
    return this.#ask('tree', oid, `${oid}^{tree}`, maxBytes);
  }

  /** Ends the process; reads still under way fail. */
  async close(): Promise<void> {
    this.#fail(closed());
    this.#git.child.kill();
    await this.#git.ended.catch(() => undefined);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #ask(type: Request['type'], oid: string, name: string, maxBytes: number): Promise<BatchAnswer> {
    if (!isObjectId(oid)) return Promise.resolve('missing');
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) {
        reject(this.#failure);
        return;
      }
      this.#requests.push({ type, maxBytes, resolve, reject });
      if (this.#unsent === '') queueMicrotask(() => this.#send());
      this.#unsent += `contents ${name}\n`;
    });
  }

  #send(): void {
    this.#git.child.stdin.write(`${this.#unsent}flush\n`);
    this.#unsent = '';
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    for (const request of this.#requests.splice(0)) request.reject(this.#failure);
  }
}

function closed(): GitError {
  return new GitError('failed', 'The reader of the repository is closed.');
}
