import { Worker } from 'node:worker_threads';

/** What keeps a core busy. */
export interface PasswordHashes {
  readonly hash: (password: string) => Promise<string>;
  readonly verify: (password: string, encoded: string) => Promise<boolean>;
}

export interface PasswordTask {
  readonly id: number;
  readonly password: string;
  /** To compare with; without one the password is hashed. */
  readonly encoded: string | undefined;
}

export interface PasswordAnswer {
  readonly id: number;
  /** The hash, or whether the password fits. */
  readonly result: string | boolean;
}

interface Pending {
  resolve(result: PasswordAnswer['result']): void;
  reject(error: Error): void;
}

/**
 * The thread that hashes passwords: started with the first one, again after a fault. It keeps no process alive. Passwords
 * are checked before (`checkNewPassword`): what is thrown in there ends the thread.
 */
export class PasswordWorker implements PasswordHashes {
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #lastId = 0;

  hash = async (password: string): Promise<string> =>
    String(await this.#perform({ password, encoded: undefined }));

  verify = async (password: string, encoded: string): Promise<boolean> =>
    (await this.#perform({ password, encoded })) === true;

  #perform(task: Omit<PasswordTask, 'id'>): Promise<PasswordAnswer['result']> {
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<PasswordAnswer['result']>();
    this.#pending.set(id, { resolve, reject });
    const message: PasswordTask = { id, ...task };
    this.#running().postMessage(message, []);
    return promise;
  }

  #running(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(threadEntry(), { name: 'passwords' });
    worker.unref();
    worker.on('message', ({ id, result }: PasswordAnswer) => {
      this.#pending.get(id)?.resolve(result);
      this.#pending.delete(id);
    });
    worker.on('error', (error) => this.#fail(worker, error as Error));
    worker.on('exit', (code) => this.#fail(worker, new Error(`the thread of passwords ended with ${code}`)));
    this.#worker = worker;
    return worker;
  }

  #fail(worker: Worker, error: Error): void {
    // An error is followed by an exit: by then the work may be another thread's.
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const failed = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of failed) reject(error);
  }
}

/** From source the thread is a `.ts` beside this file; in the bundle it is an entry beside the chunk. */
function threadEntry(): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL('password-thread.ts', import.meta.url)
    : new URL('password-thread.js', import.meta.url);
}
