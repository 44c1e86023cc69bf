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
}

export interface GateResult {
  readonly name: string;
  readonly passed: boolean;
  readonly milliseconds: number;
  /** Combined output of both streams. */
  readonly output: string;
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
  { name: 'format', command: ['biome', 'check'] },
];

/** Maximum time of a gate, in milliseconds. */
const gateTimeoutMs = 5 * 60_000;

/** Returns an environment with the tools and the Node of this project instead of those of the system. */
export function toolEnvironment(): NodeJS.ProcessEnv {
  const tools = join(projectRoot, 'node_modules/.bin');
  return { ...process.env, PATH: `${tools}${delimiter}${process.env['PATH'] ?? ''}` };
}

/** Runs one gate over the tree in `folder`. A tool that cannot be started is a failed gate. */
export function runGate({ name, command: [file, ...args] }: Gate, folder: string): Promise<GateResult> {
  const started = performance.now();
  const child = spawn(file, args, {
    cwd: folder,
    env: toolEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: gateTimeoutMs,
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
      });
    child.once('error', (error) => end(false, `${error.message}\n`));
    child.once('close', (code, signal) => end(code === 0, signal === null ? '' : `ended by ${signal}\n`));
  });
}

/**
 * Runs gates two at a time, each after its dependency; a gate whose dependency failed fails, too. Calls `report` for each
 * finished gate.
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

/** Prints one line per gate, and the output of a failed one. */
export function printGate({ name, passed, milliseconds, output }: GateResult): void {
  const seconds = (milliseconds / 1000).toFixed(1).padStart(6);
  process.stdout.write(`${passed ? 'pass' : 'FAIL'}  ${name.padEnd(8)} ${seconds} s\n`);
  if (!passed) process.stdout.write(`${output.trimEnd().replaceAll(/^/gm, '      ')}\n`);
}
