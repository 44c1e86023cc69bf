import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../temporary-folder.ts';
import { compileCache } from './compile-cache.ts';

/** Path of the built program. `npm test` builds it first. */
export const program = fileURLToPath(new URL('../../../dist/orgctx.js', import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string;
  readonly timeoutMs?: number;
  /** Path of the program. Default: the built one. */
  readonly program?: string;
}

/**
 * Returns a minimal environment, so that settings of the developer's shell do not affect tests. Each program has a home
 * folder of its own, where `quickstart` stores what later commands use.
 */
function environment(extra: RunOptions['env'] = {}): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: temporaryFolder(), NO_COLOR: '1', ...compileCache(), ...extra };
}

/** Runs a command of the built program until it exits. */
export async function orgctx(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const child = launch(args, options);
  const output = collect(child);
  child.stdin?.end(options.input ?? '');
  const killer = setTimeout(() => child.kill('SIGKILL'), options.timeoutMs ?? 60_000);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(killer);
  return { code, ...output };
}

export interface Quickstart {
  readonly baseUrl: string;
  readonly mcpUrl: string;
  readonly orgSlug: string;
  readonly apiKey: string | null;
  readonly signInUrl: string | null;
  readonly dataDir: string;
  readonly repository: { readonly id: string; readonly name: string; readonly state: string };
  readonly questionError?: { readonly code: string; readonly message: string };
  readonly answer?: { readonly answer: string; readonly citations: readonly Record<string, unknown>[] };
}

export interface RunningProgram {
  readonly process: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface RunningQuickstart extends RunningProgram {
  readonly result: Quickstart;
}

/** Starts `quickstart` on a source and waits for its one JSON result. */
export async function startQuickstart(
  args: readonly string[],
  options: RunOptions & { dataDir?: string } = {},
): Promise<RunningQuickstart> {
  const dataDir = options.dataDir ?? temporaryFolder();
  const running = start(['quickstart', ...args, '--json', '--port', '0', '--data-dir', dataDir], options);
  const line = await running.line(
    (text) => text.includes('\n') && isJson(text),
    options.timeoutMs ?? 120_000,
  );
  return { ...running, result: JSON.parse(line) as Quickstart };
}

/** Starts a long-running command. `line` waits until the standard output satisfies a condition. */
export function start(
  args: readonly string[],
  options: RunOptions = {},
): RunningProgram & { line(done: (stdout: string) => boolean, timeoutMs?: number): Promise<string> } {
  const child = launch(args, options);
  child.stdin?.end();
  const output = collect(child);
  return {
    process: child,
    output,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      child.kill(signal);
      const [code] = (await once(child, 'exit')) as [number | null];
      return code;
    },
    async line(done, timeoutMs = 60_000) {
      const deadline = Date.now() + timeoutMs;
      while (!done(output.stdout)) {
        if (child.exitCode !== null || Date.now() > deadline) {
          child.kill('SIGKILL');
          throw new Error(
            `orgctx ${args.join(' ')} did not print the expected output (exit ${child.exitCode}):\n${output.stderr}\n${output.stdout}`,
          );
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return output.stdout;
    },
  };
}

function launch(args: readonly string[], options: RunOptions): ChildProcess {
  const path = options.program ?? program;
  if (!existsSync(path)) throw new Error('dist/ is missing: run `npm run build` first');
  return spawn(process.execPath, [path, ...args], {
    cwd: options.cwd ?? tmpdir(),
    env: environment(options.env),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  return output;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
