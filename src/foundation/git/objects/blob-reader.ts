import { GitError } from '../process/git-error.ts';
import { boundedPacks, type RunningGit, spawnGit } from '../process/spawn-git.ts';
import { BatchOutput, type BatchResponse } from './batch-output.ts';
import { isCommitPrefix, isObjectId } from './commit-id.ts';
import { entryName, type FoundPath, hasControl, parseFound } from './found-path.ts';

interface Request {
  readonly type: 'blob' | 'tree' | 'info';
  readonly maxBytes: number;
  readonly resolve: (response: BatchResponse) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Starts one Git process that reads blobs of a mirror until it is closed. Aborting `signal` ends it and fails every
 * pending read with its reason.
 */
export function openBlobReader(gitDir: string, signal?: AbortSignal): BlobReader {
  return new BlobReader(
    spawnGit(gitDir, [...boundedPacks, 'cat-file', '--batch-command', '--buffer'], signal),
  );
}

export class BlobReader implements AsyncDisposable {
  readonly #git: RunningGit;
  readonly #requests: Request[] = [];
  /** Commands of this event loop tick, sent together: a system call per blob would cost more than the blob. */
  #unsent = '';
  #failure: unknown;

  constructor(git: RunningGit) {
    this.#git = git;
    const output = new BatchOutput({
      limit: () => this.#requests[0]?.maxBytes ?? 0,
      type: () => this.#requests[0]?.type ?? 'blob',
      receive: (response) => this.#requests.shift()?.resolve(response),
    });
    git.child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    git.ended.then(
      () => this.#fail(readerClosed()),
      (error: unknown) => this.#fail(error),
    );
  }

  /**
   * Reads a blob. Returns `too_large` above `maxBytes`, and `missing` if there is no such blob or its header is
   * broken. For the full speed of Git, keep some dozens of reads pending and start them in one tick: responses arrive
   * in order. The buffer may share memory with its neighbours, so copy what you keep.
   * @throws GitError `damaged` when an object is broken; the reader cannot be used afterwards.
   */
  read(oid: string, maxBytes: number): Promise<BatchResponse> {
    return isObjectId(oid) ? this.#request('blob', oid, maxBytes) : Promise.resolve('missing');
  }

  /** Reads a tree, or the tree of a commit, with the rules of `read`. */
  readTree(oid: string, maxBytes: number): Promise<BatchResponse> {
    return isObjectId(oid) ? this.#request('tree', `${oid}^{tree}`, maxBytes) : Promise.resolve('missing');
  }

  /**
   * Finds the entry at a path of a commit, as `findPath` does. A path with control characters, which the line of a
   * command cannot contain, is not found.
   */
  async find(commit: string, path: string): Promise<FoundPath | undefined> {
    const name = hasControl(path) ? undefined : entryName(commit, path);
    return name && parseFound(await this.#info(name.toString('latin1')));
  }

  /** Resolves a commit id, complete or 7 digits or more; `undefined` if there is no such commit. */
  async resolveCommit(prefix: string): Promise<string | undefined> {
    if (!isCommitPrefix(prefix)) return undefined;
    return /^([\da-f]{40,64}) commit \d+$/.exec(await this.#info(`${prefix}^{commit}`))?.[1];
  }

  /** Ends the process. Pending reads fail. */
  async close(): Promise<void> {
    this.#fail(readerClosed());
    this.#git.child.kill();
    await this.#git.ended.catch(() => undefined);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #info(name: string): Promise<string> {
    return String(await this.#request('info', name, 0));
  }

  /** Sends a command. A character of `name` is a byte. */
  #request(type: Request['type'], name: string, maxBytes: number): Promise<BatchResponse> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) {
        reject(this.#failure);
        return;
      }
      this.#requests.push({ type, maxBytes, resolve, reject });
      if (this.#unsent === '') queueMicrotask(() => this.#send());
      this.#unsent += `${type === 'info' ? 'info' : 'contents'} ${name}\n`;
    });
  }

  #send(): void {
    this.#git.child.stdin.write(`${this.#unsent}flush\n`, 'latin1');
    this.#unsent = '';
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    for (const request of this.#requests.splice(0)) request.reject(this.#failure);
  }
}

/** Returns the error of a read after the end of its reader. */
export function readerClosed(): GitError {
  return new GitError('failed', 'The reader of the repository is closed.');
}
