import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { commands as everyCommand } from '../../../src/cli/commands.ts';
import type { CommandTable } from '../../../src/cli/frame/command.ts';
import { runCommandLine } from '../../../src/cli/frame/run-command-line.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandLineOptions {
  readonly commands?: CommandTable;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  /** True if the three streams are terminals. Default: false. */
  readonly terminal?: boolean;
  /** Receives what is written to both outputs, in that order, as a terminal shows it. */
  readonly shown?: string[];
  /** A line on stdin. Default: none. */
  readonly typed?: string;
  /** The keyboard of a terminal, for questions that are answered while the command runs. */
  readonly keyboard?: PassThrough;
}

/** Runs a command line in this process, in a fresh folder, with only the given environment. */
export async function runCli(words: readonly string[], options: CommandLineOptions = {}): Promise<Outcome> {
  const stdout = collector(options);
  const stderr = collector(options);
  const folder = temporaryFolder();
  const code = await runCommandLine(words, {
    commands: options.commands ?? everyCommand,
    streams: {
      stdin: Object.assign(options.keyboard ?? new PassThrough().end(typed(options)), isTerminal(options)),
      stdout,
      stderr,
    },
    env: options.env ?? {},
    cwd: options.cwd ?? folder,
    homeDir: folder,
    signal: options.signal ?? new AbortController().signal,
  });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function typed({ typed: line }: CommandLineOptions): string {
  return line === undefined ? '' : `${line}\n`;
}

function isTerminal({ terminal = false }: CommandLineOptions): { isTTY: boolean } {
  return { isTTY: terminal };
}

function collector({
  terminal = false,
  shown,
}: CommandLineOptions): PassThrough & { isTTY: boolean; text: () => string } {
  const stream = new PassThrough({
    transform: (chunk, _encoding, done) => {
      shown?.push(String(chunk));
      done(null, chunk);
    },
  });
  let collected = '';
  stream.on('data', (chunk: Buffer) => {
    collected += chunk.toString();
  });
  return Object.assign(stream, {
    isTTY: terminal,
    text: () => {
      collected += String(stream.read() ?? '');
      return collected;
    },
  });
}

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

export interface StandInService {
  readonly url: string;
  readonly seen: SeenRequest[];
  close(): Promise<void>;
}

export interface StandInAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent unchanged, anything else as JSON. */
  readonly body?: unknown;
}

/** Starts a loopback service whose responses come from a function; `undefined` sends no response. */
export async function standInService(
  answer: (request: SeenRequest) => StandInAnswer | undefined | Promise<StandInAnswer>,
): Promise<StandInService> {
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    void readRequest(request).then(async (read) => {
      seen.push(read);
      const answered = await answer(read);
      if (answered !== undefined) send(response, answered);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readRequest(request: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = await request.toArray();
  const text = Buffer.concat(chunks).toString();
  const { method = '', url = '', headers } = request;
  return { method, url, headers, body: text === '' ? undefined : parsedBody(text, headers) };
}

function parsedBody(text: string, headers: IncomingMessage['headers']): unknown {
  return headers['content-type'] === 'application/x-www-form-urlencoded'
    ? Object.fromEntries(new URLSearchParams(text))
    : JSON.parse(text);
}

function send(response: ServerResponse, { status = 200, headers, body = {} }: StandInAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
