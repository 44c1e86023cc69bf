import { type RunningGit, spawnGit } from '../process/spawn-git.ts';

/** Number of bytes after which small chunks are written together. */
const batchBytes = 256 * 1024;

/**
 * One run of git-fast-import(1). It moves its ref only when `finish` is called and everything was accepted. If this
 * process is killed, the ref is not moved, because fast-import treats a stream without `done` as an error (`--done`).
 */
export class FastImport {
  readonly #git: RunningGit;
  readonly #closed: Promise<void>;
  readonly #responders: ((line: string) => void)[] = [];
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #line = '';

  constructor(gitDir: string, signal: AbortSignal) {
    // The ref is internal, so leftovers of an earlier attempt are replaced. Files are not stored as deltas of each
    // other (`--depth`): in a test that took longer and saved no space.
    this.#git = spawnGit(gitDir, ['fast-import', '--quiet', '--force', '--done', '--depth=0'], signal);
    const { child } = this.#git;
    this.#closed = new Promise((resolve) => child.once('close', () => resolve()));
    child.stdout.setEncoding('utf8').on('data', (text: string) => this.#readResponses(text));
  }

  /**
   * Writes chunks. Resolves as soon as more can be written. A chunk must not be changed afterwards. @throws GitError,
   * the signal's reason
   */
  async write(...chunks: readonly (string | Uint8Array)[]): Promise<void> {
    for (const chunk of chunks) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      this.#chunks.push(bytes);
      this.#bytes += bytes.length;
    }
    if (this.#bytes >= batchBytes) await this.#flush();
  }

  /** Returns the line that a command prints (git-fast-import(1): Responses to Commands). */
  async ask(command: string): Promise<string> {
    const [response] = await this.askAll([command]);
    return response ?? '';
  }

  /** Runs several commands and returns their responses in order, without a round trip for each. */
  async askAll(commands: readonly string[]): Promise<readonly string[]> {
    const responses = commands.map(() => new Promise<string>((resolve) => this.#responders.push(resolve)));
    await this.write(...commands);
    await this.#flush();
    return Promise.race([Promise.all(responses), this.#failed()]);
  }

  /** Completes the import. @throws GitError, the signal's reason */
  async finish(): Promise<void> {
    await this.write('done\n');
    await this.#flush();
    this.#git.child.stdin.end();
    await this.#git.ended;
  }

  /** Stops the process. Resolves when it has ended, so that no ref moves afterwards. */
  async stop(): Promise<void> {
    this.#git.child.kill();
    await this.#closed;
  }

  async #flush(): Promise<void> {
    const batch = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#bytes = 0;
    const { stdin } = this.#git.child;
    if (batch === undefined || batch.length === 0 || stdin.write(batch)) return;
    const drained = new Promise<void>((resolve) => stdin.once('drain', resolve));
    await Promise.race([drained, this.#failed()]);
  }

  async #failed(): Promise<never> {
    await this.#git.ended;
    throw new Error('git fast-import ended prematurely.');
  }

  #readResponses(text: string): void {
    const lines = `${this.#line}${text}`.split('\n');
    this.#line = lines.pop() ?? '';
    for (const line of lines) this.#responders.shift()?.(line);
  }
}
