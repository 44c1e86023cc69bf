import { type RunningGit, spawnGit } from '../spawn-git.ts';

/** Bytes of small pieces that are handed over together. */
const batchBytes = 256 * 1024;

/**
 * One run of git-fast-import(1). It moves its ref when `finish` is called and it has taken everything, or not at all:
 * also when this process is killed, since a stream that merely ends is a failure to it (`--done`).
 */
export class FastImport {
  readonly #git: RunningGit;
  readonly #closed: Promise<void>;
  readonly #answers: ((line: string) => void)[] = [];
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #line = '';

  constructor(gitDir: string, signal: AbortSignal) {
    // The ref is our own: whatever an earlier attempt left in it is replaced. A file is no change of the one before it:
    // tried as one (`--depth`), it takes longer and no less room.
    this.#git = spawnGit(gitDir, ['fast-import', '--quiet', '--force', '--done', '--depth=0'], signal);
    const { child } = this.#git;
    this.#closed = new Promise((resolve) => child.once('close', () => resolve()));
    child.stdout.setEncoding('utf8').on('data', (text: string) => this.#readAnswers(text));
  }

  /** Resolves as soon as more may come. A piece must not be changed afterwards. @throws GitError, the signal's reason */
  async write(...pieces: readonly (string | Uint8Array)[]): Promise<void> {
    for (const piece of pieces) {
      const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
      this.#pieces.push(bytes);
      this.#bytes += bytes.length;
    }
    if (this.#bytes >= batchBytes) await this.#flush();
  }

  /** The line that a command prints (git-fast-import(1): Responses to Commands). */
  async ask(command: string): Promise<string> {
    const [answer] = await this.askAll([command]);
    return answer ?? '';
  }

  /** Asked together and answered in order: there is no round trip for each. */
  async askAll(commands: readonly string[]): Promise<readonly string[]> {
    const answers = commands.map(() => new Promise<string>((resolve) => this.#answers.push(resolve)));
    await this.write(...commands);
    await this.#flush();
    return Promise.race([Promise.all(answers), this.#failed()]);
  }

  /** @throws GitError, the signal's reason */
  async finish(): Promise<void> {
    await this.write('done\n');
    await this.#flush();
    this.#git.child.stdin.end();
    await this.#git.ended;
  }

  /** Resolves when the process is gone, so that no ref moves afterwards. */
  async stop(): Promise<void> {
    this.#git.child.kill();
    await this.#closed;
  }

  async #flush(): Promise<void> {
    const batch = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#bytes = 0;
    const { stdin } = this.#git.child;
    if (batch === undefined || batch.length === 0 || stdin.write(batch)) return;
    const drained = new Promise<void>((resolve) => stdin.once('drain', resolve));
    await Promise.race([drained, this.#failed()]);
  }

  async #failed(): Promise<never> {
    await this.#git.ended;
    throw new Error('git fast-import ended before it was told to');
  }

  #readAnswers(text: string): void {
    const lines = `${this.#line}${text}`.split('\n');
    this.#line = lines.pop() ?? '';
    for (const line of lines) this.#answers.shift()?.(line);
  }
}
