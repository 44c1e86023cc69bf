import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

const module = fileURLToPath(new URL('./process-life.ts', import.meta.url));

let child: ChildProcess;
let orphan: number | undefined;
afterEach(() => {
  child.kill('SIGKILL');
  if (orphan !== undefined && !isGone(orphan)) process.kill(orphan, 'SIGKILL');
  orphan = undefined;
});

function isGone(pid: number): boolean {
  try {
    return !process.kill(pid, 0);
  } catch {
    return true;
  }
}

/** Starts a process that sends `ready`, waits until it is stopped, and then exits with code 7. */
async function startWaiting(): Promise<void> {
  const program = join(temporaryFolder(), 'program.mjs');
  writeFileSync(
    program,
    `import { notifyParent, untilStopped } from ${JSON.stringify(module)};
     const stopping = new AbortController();
     process.once('SIGTERM', () => stopping.abort());
     const working = setInterval(() => {}, 1_000);
     const stopped = untilStopped(stopping.signal);
     notifyParent({ type: 'ready' });
     await stopped;
     notifyParent({ type: 'heartbeat' });
     clearInterval(working);
     process.exitCode = 7;`,
  );
  child = fork(program, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  expect((await once(child, 'message'))[0]).toEqual({ type: 'ready' });
}

const exit = () => once(child, 'exit', { signal: AbortSignal.timeout(4_000) });

describe('a process that waits until it is stopped', () => {
  it('ends when its parent has died', async () => {
    await startWaiting();
    child.disconnect();
    expect(await exit()).toEqual([7, null]);
  });

  it('is killed when its parent has died while its event loop stands still', async () => {
    const folder = temporaryFolder();
    const program = join(folder, 'child.mjs');
    writeFileSync(
      program,
      `import { endWithParent } from ${JSON.stringify(module)};
       const parent = process.ppid;
       process.send(process.pid, () => {
         while (process.ppid === parent);
         endWithParent(parent, 200);
         while (true);
       });`,
    );
    const parent = join(folder, 'parent.mjs');
    writeFileSync(
      parent,
      `import { fork } from 'node:child_process';
       fork(${JSON.stringify(program)}, { detached: true })
         .on('message', (pid) => process.send(pid, () => process.kill(process.pid, 'SIGKILL')));`,
    );
    child = fork(parent, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    [orphan] = await once(child, 'message');
    await expect.poll(() => isGone(Number(orphan))).toBe(true);
  });

  it('ends at a drain message of its parent, although the channel is open', async () => {
    await startWaiting();
    child.send({ type: 'drain' });
    expect(await exit()).toEqual([7, null]);
  });

  it('ends after a signal', async () => {
    await startWaiting();
    child.kill('SIGTERM');
    expect(await exit()).toEqual([7, null]);
  });

  it('ignores any other message', async () => {
    await startWaiting();
    child.send({ type: 'ready' });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(child.exitCode).toBeNull();
  });
});
