import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';

/** One check of the whole tree, passed or failed by its exit code. */
export interface Gate {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** The gate whose product this one looks at. */
  readonly after?: string;
}

export interface GateResult {
  readonly name: string;
  readonly passed: boolean;
  readonly milliseconds: number;
  /** Both streams as they came. */
  readonly output: string;
}

export const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

/** The slow ones first: they run two at a time. */
export const gates: readonly Gate[] = [
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'] },
  { name: 'types', command: ['tsc'] },
  { name: 'build', command: ['tsup'] },
  { name: 'unused', command: ['knip'] },
  // What only tests reach; `@internal` marks, with a reason, what may stay.
  { name: 'shipped', command: ['knip', '--production'] },
  { name: 'package', command: ['publint', '--strict'], after: 'build' },
  { name: 'imports', command: ['node', join(projectRoot, 'test/support/check-imports.ts')] },
  { name: 'format', command: ['biome', 'check'] },
];

/** A gate that has not ended by then hangs. */
const gateTimeoutMs = 5 * 60_000;

/** The tools are those of this project, and so is the Node that runs them, whatever the system's is. */
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
 * Runs gates two at a time, each after the one it builds on; one that builds on a failed gate fails with it.
 * `report` hears of each as it ends.
 */
export async function runGates(
  chosen: readonly Gate[],
  folder: string,
  report: (result: GateResult) => void,
): Promise<readonly GateResult[]> {
  const waiting = [...chosen];
  const results: GateResult[] = [];
  const done = new Map<string, Promise<GateResult>>();

  const next = async (): Promise<void> => {
    const gate = waiting.shift();
    if (gate === undefined) return;
    const running = afterItsGround(gate, done, folder);
    done.set(gate.name, running);
    const result = await running;
    results.push(result);
    report(result);
    return next();
  };
  await Promise.all([next(), next()]);
  return results;
}

async function afterItsGround(
  gate: Gate,
  done: ReadonlyMap<string, Promise<GateResult>>,
  folder: string,
): Promise<GateResult> {
  const ground = gate.after === undefined ? undefined : await done.get(gate.after);
  if (ground?.passed === false) {
    return { name: gate.name, passed: false, milliseconds: 0, output: `not run: ${ground.name} failed\n` };
  }
  return runGate(gate, folder);
}

/** One line a gate, and what it said when it failed. */
export function printGate({ name, passed, milliseconds, output }: GateResult): void {
  const seconds = (milliseconds / 1000).toFixed(1).padStart(6);
  process.stdout.write(`${passed ? 'pass' : 'FAIL'}  ${name.padEnd(8)} ${seconds} s\n`);
  if (!passed) process.stdout.write(`${output.trimEnd().replaceAll(/^/gm, '      ')}\n`);
}
