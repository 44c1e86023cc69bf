import { Worker } from 'node:worker_threads';

/** The CPU-intensive operations. */
export interface PasswordHashes {
  readonly hash: (password: string) => Promise<string>;
  readonly verify: (password: string, encoded: string) => Promise<boolean>;
}

export interface PasswordTask {
  readonly id: number;
  readonly password: string;
  /** The hash to compare with. If undefined, the password is hashed. */
  readonly encoded: string | undefined;
}

export interface PasswordResult {
  readonly id: number;
  /** The hash, or whether the password matches. */
  readonly result: string | boolean;
}

interface Pending {
  resolve(result: PasswordResult['result']): void;
  reject(error: Error): void;
}

/**
 * Hashes passwords in a worker thread. The thread starts with the first password, and again after an error. It does not
 * keep the process alive. Validate passwords first (`checkNewPassword`): an error inside the thread ends it.
 */
export class PasswordWorker implements PasswordHashes {
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #lastId = 0;

  hash = async (password: string): Promise<string> =>
    String(await this.#perform({ password, encoded: undefined }));

  verify = async (password: string, encoded: string): Promise<boolean> =>
    (await this.#perform({ password, encoded })) === true;

  #perform(task: Omit<PasswordTask, 'id'>): Promise<PasswordResult['result']> {
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<PasswordResult['result']>();
    this.#pending.set(id, { resolve, reject });
    const message: PasswordTask = { id, ...task };
    this.#runningWorker().postMessage(message, []);
    return promise;
  }

  #runningWorker(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(threadEntry(), { name: 'passwords' });
    worker.unref();
    worker.on('message', ({ id, result }: PasswordResult) => {
      this.#pending.get(id)?.resolve(result);
      this.#pending.delete(id);
    });
    worker.on('error', (error) => this.#fail(worker, error as Error));
    worker.on('exit', (code) =>
      this.#fail(worker, new Error(`the password thread exited with code ${code}`)),
    );
    this.#worker = worker;
    return worker;
  }

  #fail(worker: Worker, error: Error): void {
    // Each error is followed by an exit event. By then another thread may have replaced this one.
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const failed = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of failed) reject(error);
  }
}

/** Returns the entry of the thread: a `.ts` file beside this one in source, an entry beside the chunk in the bundle. */
function threadEntry(): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL('password-thread.ts', import.meta.url)
    : new URL('password-thread.js', import.meta.url);
}
