import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type MemoryLog, memoryLog } from '../../../test/support/memory-log.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { workerFlags } from './process-flags.ts';
import { type SupervisedWorker, type SuperviseOptions, superviseWorker } from './supervise-worker.ts';

const ready = "process.send({ type: 'ready' });";
const stays = 'setInterval(() => {}, 1_000);';

let memory: MemoryLog;
let worker: SupervisedWorker;
afterEach(() => worker.stop(0));

/** Supervises a process that runs `script`, with short restart delays. */
function supervise(script: string, options: Partial<SuperviseOptions> = {}): void {
  const program = join(temporaryFolder(), 'worker.mjs');
  writeFileSync(program, script);
  memory = memoryLog();
  const backoffMs = { min: 20, max: 60 };
  worker = superviseWorker({ program, args: [], log: memory.log, backoffMs, ...options });
}

const linesOf = (msg: string) => memory.lines.filter((line) => line['msg'] === msg);
const crashes = () => linesOf('worker ended unexpectedly; it will be restarted');
const until = (condition: () => boolean) => expect.poll(condition).toBe(true);

function isAlive(pid: unknown): boolean {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}

describe('a supervised worker', () => {
  it('is restarted after a crash, with increasing back-off up to the maximum', async () => {
    supervise('process.exit(3);');
    await until(() => crashes().length >= 4);
    expect(crashes().map(({ restartInMs }) => restartInMs)).toMatchObject([20, 40, 60, 60]);
    expect(crashes()[0]).toMatchObject({ code: 3, signal: null });
  });

  it('is killed and restarted if it sends no heartbeat', async () => {
    supervise(`${ready} while (true);`, { silenceMs: 400 });
    await until(() => linesOf('worker ready').length >= 2);
    expect(linesOf('worker sent no heartbeat; killing it')[0]).toMatchObject({
      pid: linesOf('worker ready')[0]?.['pid'],
    });
    expect(crashes()[0]).toMatchObject({ code: null, signal: 'SIGKILL' });
  });

  it('is killed and restarted soon after a signal stopped it, long before its heartbeat is overdue', async () => {
    supervise(`${ready} while (true);`, { silenceMs: 120_000, stopCheckMs: 50 });
    await until(() => linesOf('worker ready').length === 1);
    const pid = Number(linesOf('worker ready')[0]?.['pid']);
    process.kill(pid, 'SIGSTOP');
    await until(() => linesOf('worker ready').length === 2);
    expect(linesOf('worker is stopped (SIGSTOP); killing it')).toMatchObject([{ pid }]);
    expect(crashes()).toMatchObject([{ code: null, signal: 'SIGKILL' }]);
  });

  it('keeps running while it sends heartbeats, regardless of how long its work takes', async () => {
    supervise(`${ready} setInterval(() => process.send({ type: 'heartbeat' }), 50);`, { silenceMs: 600 });
    await until(() => linesOf('worker ready').length === 1);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(memory.lines).toHaveLength(1);
  });

  it('runs with the memory flags of a worker and the flags of serve', async () => {
    const argsFile = join(temporaryFolder(), 'args');
    const writeArgs = `writeFileSync(${JSON.stringify(argsFile)}, JSON.stringify(process.execArgv));`;
    supervise(`import { writeFileSync } from 'node:fs'; ${writeArgs} ${ready} ${stays}`);
    await until(() => linesOf('worker ready').length === 1);
    const args = JSON.parse(readFileSync(argsFile, 'utf8')) as readonly string[];
    expect(args).toEqual([...process.execArgv, ...workerFlags]);
  });

  it('is drained on stop and not restarted', async () => {
    const done = join(temporaryFolder(), 'done');
    const drain = `if (type !== 'drain') return;
      await new Promise((resolve) => setTimeout(resolve, 200));
      fs.writeFileSync(${JSON.stringify(done)}, '');
      process.disconnect();`;
    supervise(`import fs from 'node:fs'; process.on('message', async ({ type }) => { ${drain} }); ${ready}`);
    await until(() => linesOf('worker ready').length === 1);
    await worker.stop(3_000);
    expect(existsSync(done)).toBe(true);
    expect(isAlive(linesOf('worker ready')[0]?.['pid'])).toBe(false);
    expect(crashes()).toEqual([]);
  });

  it('is killed if it does not drain within the grace period', async () => {
    supervise(`process.on('message', () => {}); process.on('SIGTERM', () => {}); ${ready} ${stays}`);
    await until(() => linesOf('worker ready').length === 1);
    const { pid } = linesOf('worker ready')[0] ?? {};
    const stopping = performance.now();
    await worker.stop(300);
    expect(performance.now() - stopping).toBeGreaterThanOrEqual(290);
    expect(isAlive(pid)).toBe(false);
  });

  it('is stopped at once while it waits for its restart', async () => {
    supervise('process.exit(1);', { backoffMs: { min: 60_000, max: 60_000 } });
    await until(() => crashes().length === 1);
    const stopping = performance.now();
    await worker.stop(30_000);
    expect(performance.now() - stopping).toBeLessThan(20_000);
    expect(linesOf('worker ready')).toEqual([]);
  });
});
