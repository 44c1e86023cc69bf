import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot } from '../support/run/gates.ts';

const module = join(projectRoot, 'test/support/run/run-in-group.ts');

/** A runner whose command starts a background process and then waits; it prints the process ids of both. */
const script = `
  const { runInGroup } = await import(${JSON.stringify(module)});
  const command = ['sh', '-c', 'sleep 1000 & echo $! $$; exec sleep 1001'];
  process.exitCode = (await runInGroup(command, { cwd: '/', env: process.env })) === null ? 9 : 0;`;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'a runner that receives %s ends all its processes',
  async (signal) => {
    const runner = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(runner.stdout, 'data')) as [Buffer];
    const pids = line.toString().trim().split(' ').map(Number);
    expect(pids.map(isAlive)).toEqual([true, true]);
    runner.kill(signal);
    expect(await once(runner, 'exit')).toEqual([9, null]);
    await expect.poll(() => pids.some(isAlive)).toBe(false);
  },
);
