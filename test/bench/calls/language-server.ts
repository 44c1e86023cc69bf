import { type ChildProcess, spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';

/** A place in a file, from 0, as language servers count. */
export interface Place {
  readonly line: number;
  readonly character: number;
}

/** A file and a place in it, as a server answers. */
interface Location extends Place {
  readonly uri: string;
}

/** Maximum time of one answer. The first one waits until the project is loaded. */
const answerMs = 300_000;

/** Asks a language server, which speaks the protocol on its standard streams. */
export class LanguageServer {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #next = 0;
  #bytes = Buffer.alloc(0);

  constructor(command: readonly string[], folder: string) {
    const [program = '', ...args] = command;
    this.#folder = folder;
    this.#child = spawn(program, args, { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] });
    this.#child.stdout!.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  async start(): Promise<void> {
    const rootUri = pathToFileURL(this.#folder).href;
    const workspaceFolders = [{ uri: rootUri, name: 'folder' }];
    const capabilities = { textDocument: { definition: { linkSupport: false } } };
    // That of TypeScript answers from single files until it has loaded the project.
    const initializationOptions = { tsserver: { useSyntaxServer: 'never' } };
    const options = {
      rootUri,
      workspaceFolders,
      capabilities,
      initializationOptions,
      processId: process.pid,
    };
    await this.#ask('initialize', options);
    this.#tell('initialized', {});
  }

  open(path: string, languageId: string, text: string): void {
    const textDocument = { uri: this.#uriOf(path), languageId, version: 1, text };
    this.#tell('textDocument/didOpen', { textDocument });
  }

  close(path: string): void {
    this.#tell('textDocument/didClose', { textDocument: { uri: this.#uriOf(path) } });
  }

  /** Returns where the name at a place is defined. */
  async definitionsAt(path: string, position: Place): Promise<readonly Location[]> {
    const result = await this.#ask('textDocument/definition', {
      textDocument: { uri: this.#uriOf(path) },
      position,
    });
    const found = Array.isArray(result) ? result : result === null || result === undefined ? [] : [result];
    return found.map(({ uri, range }: { uri: string; range: { start: Place } }) => ({ uri, ...range.start }));
  }

  stop(): void {
    this.#child.kill();
  }

  #uriOf(path: string): string {
    return pathToFileURL(`${this.#folder}/${path}`).href;
  }

  async #ask(method: string, params: unknown): Promise<unknown> {
    const id = this.#next++;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const timer = setTimeout(() => reject(new Error(`no answer to ${method}`)), answerMs);
    this.#waiting.set(id, resolve);
    this.#send({ id, method, params });
    return await promise.finally(() => clearTimeout(timer));
  }

  #tell(method: string, params: unknown): void {
    this.#send({ method, params });
  }

  #send(message: object): void {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.#child.stdin!.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  #read(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    for (;;) {
      const end = this.#bytes.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = Number(/Content-Length: (\d+)/iu.exec(this.#bytes.toString('latin1', 0, end))?.[1]);
      if (this.#bytes.length < end + 4 + length) return;
      const body = this.#bytes.toString('utf8', end + 4, end + 4 + length);
      this.#bytes = this.#bytes.subarray(end + 4 + length);
      this.#receive(JSON.parse(body) as { id?: number; method?: string; result?: unknown; params?: unknown });
    }
  }

  #receive({
    id,
    method,
    result,
    params,
  }: {
    id?: number;
    method?: string;
    result?: unknown;
    params?: unknown;
  }): void {
    if (id === undefined) return;
    if (method === undefined) {
      this.#waiting.get(id)?.(result);
      this.#waiting.delete(id);
      return;
    }
    // The server asks for its settings, or tells of its capabilities.
    const items = (params as { items?: readonly unknown[] } | undefined)?.items;
    this.#send({ id, result: items === undefined ? null : items.map(() => ({})) });
  }
}
