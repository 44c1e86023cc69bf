import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';

/** A check of the whole tree; its exit code decides whether it passes. */
export interface Gate {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** The gate whose output this one needs. */
  readonly after?: string;
  /** The command that repairs a failure, if there is one. */
  readonly repair?: string;
  /** Maximum time, in milliseconds; 5 minutes unless it is given. */
  readonly timeoutMs?: number;
}

export interface GateResult {
  readonly name: string;
  readonly passed: boolean;
  readonly milliseconds: number;
  /** Combined output of both streams. */
  readonly output: string;
  readonly repair?: string | undefined;
}

export const projectRoot = fileURLToPath(new URL('../../..', import.meta.url));

/** The gates, slow ones first, because two run at a time. */
export const gates: readonly Gate[] = [
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'] },
  { name: 'types', command: ['tsc'] },
  { name: 'build', command: ['tsup'] },
  { name: 'unused', command: ['knip'] },
  // Finds exports that only tests use; `@internal` with a reason marks the allowed ones.
  { name: 'shipped', command: ['knip', '--production'] },
  { name: 'package', command: ['publint', '--strict'], after: 'build' },
  { name: 'imports', command: ['node', join(projectRoot, 'test/support/run/check-imports.ts')] },
  { name: 'format', command: ['biome', 'check'], repair: 'npm run format' },
  patternGate(),
];

/** The gates of `npm run test:long`: the build, and the patterns of all files. */
export const longGates: readonly Gate[] = [
  ...gates.filter(({ name }) => name === 'build'),
  { ...patternGate('--all'), timeoutMs: 20 * 60_000 },
];

/** Returns the gate of regular expressions, of the changed files unless the arguments say otherwise. */
function patternGate(...args: readonly string[]): Gate {
  const program = join(projectRoot, 'test/support/patterns/check-patterns.ts');
  return { name: 'patterns', command: ['node', program, ...args] };
}

/** Returns an environment with the tools and the Node of this project instead of those of the system. */
export function toolEnvironment(): NodeJS.ProcessEnv {
  const tools = join(projectRoot, 'node_modules/.bin');
  return { ...process.env, PATH: `${tools}${delimiter}${process.env['PATH'] ?? ''}` };
}

/**
 * Runs one gate over the tree in `folder`. A tool that cannot be started, or that is stopped after `timeoutMs`, is a
 * failed gate.
 */
export function runGate(
  { name, command: [file, ...args], repair, timeoutMs = 5 * 60_000 }: Gate,
  folder: string,
): Promise<GateResult> {
  const started = performance.now();
  const child = spawn(file, args, {
    cwd: folder,
    env: toolEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) => {
    const end = (passed: boolean, note = '') =>
      resolve({
        name,
        passed,
        milliseconds: Math.round(performance.now() - started),
        output: Buffer.concat(chunks).toString() + note,
        repair,
      });
    child.once('error', (error) => end(false, `${error.message}\n`));
    child.once('close', (code, signal) => {
      // Only the time-out kills the child from here; it may then still exit with a code of its own.
      if (child.killed) end(false, `stopped after ${timeoutMs / 60_000} minutes; is the machine busy?\n`);
      else end(code === 0, signal === null ? '' : `ended by ${signal}\n`);
    });
  });
}

/**
 * Runs gates two at a time, each after its dependency; a gate whose dependency failed fails, too. Calls `report` for
 * each finished gate.
 */
export async function runGates(
  selected: readonly Gate[],
  folder: string,
  report: (result: GateResult) => void,
): Promise<readonly GateResult[]> {
  const pending = [...selected];
  const results: GateResult[] = [];
  const done = new Map<string, Promise<GateResult>>();

  const next = async (): Promise<void> => {
    const gate = pending.shift();
    if (gate === undefined) return;
    const running = runAfterDependency(gate, done, folder);
    done.set(gate.name, running);
    const result = await running;
    results.push(result);
    report(result);
    return next();
  };
  await Promise.all([next(), next()]);
  return results;
}

async function runAfterDependency(
  gate: Gate,
  done: ReadonlyMap<string, Promise<GateResult>>,
  folder: string,
): Promise<GateResult> {
  const dependency = gate.after === undefined ? undefined : await done.get(gate.after);
  if (dependency?.passed === false) {
    return {
      name: gate.name,
      passed: false,
      milliseconds: 0,
      output: `not run: ${dependency.name} failed\n`,
    };
  }
  return runGate(gate, folder);
}

/** Summarizes the gates in one line, with the names of the failed ones. */
export function summaryOf(results: readonly GateResult[]): string {
  const failed = results.filter(({ passed }) => !passed);
  if (failed.length === 0) return `${results.length} gates passed`;
  const names = failed.map(({ name, repair }) =>
    repair === undefined ? name : `${name} (${repair} repairs it)`,
  );
  return `${results.length - failed.length} gates passed, ${failed.length} failed: ${names.join(', ')}`;
}

/** Prints one line per gate, and the output of a failed one. */
export function printGate({ name, passed, milliseconds, output }: GateResult): void {
  const seconds = (milliseconds / 1000).toFixed(1).padStart(6);
  process.stdout.write(`${passed ? 'pass' : 'FAIL'}  ${name.padEnd(8)} ${seconds} s\n`);
  if (!passed) process.stdout.write(`${output.trimEnd().replaceAll(/^/gm, '      ')}\n`);
}
