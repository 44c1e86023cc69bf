import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { breakWriteLock, isLivingDraft, takeWriteLock } from './write-lock.ts';

const folder = (): string => temporaryFolder();

it('is held by one writer until it is released', () => {
  const place = folder();
  const lock = takeWriteLock(place);
  expect(lock?.held()).toBe(true);
  expect(takeWriteLock(place)).toBeUndefined();
  lock?.release();
  expect(takeWriteLock(place)?.held()).toBe(true);
});

const module = join(import.meta.dirname, 'write-lock.ts');
const holding = (place: string): string[] => {
  const script = `import { takeWriteLock } from ${JSON.stringify(module)}; takeWriteLock(${JSON.stringify(place)}); console.log('taken'); setInterval(() => {}, 1000);`;
  return [process.execPath, '--input-type=module-typescript', '--eval', script];
};
/** Sets the file time back as if the holder had stopped its heartbeat. */
const ageLock = (place: string, seconds: number): void => {
  const at = Date.now() / 1000 - seconds;
  utimesSync(join(place, 'lock'), at, at);
};

it('is taken over from a process that was killed', async () => {
  const place = folder();
  const [node = '', ...args] = holding(place);
  const child = spawn(node, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  expect(takeWriteLock(place)).toBeUndefined();
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(takeWriteLock(place)?.held()).toBe(true);
});

it('is taken over from an earlier process that had the same pid', () => {
  const place = folder();
  takeWriteLock(place);
  const owner = JSON.parse(readFileSync(join(place, 'lock'), 'utf8')) as { started: string };
  writeFileSync(join(place, 'lock'), JSON.stringify({ ...owner, started: `${owner.started}0` }));
  expect(takeWriteLock(place)?.held()).toBe(true);
});

it('is no longer held after it was broken', () => {
  const place = folder();
  const lock = takeWriteLock(place);
  breakWriteLock(place);
  expect(lock?.held()).toBe(false);
  const next = takeWriteLock(place);
  lock?.release();
  expect(next?.held()).toBe(true);
});

/** Returns the name of a draft of this process, observed while it takes a lock. */
async function observedDraft(place: string): Promise<string> {
  const watcher = watch(place);
  const seen = new Promise<string>((resolve) => {
    watcher.on('change', (_event, name) => {
      if (typeof name === 'string' && name.startsWith('lock.')) resolve(name);
    });
  });
  takeWriteLock(place)?.release();
  const name = await seen;
  watcher.close();
  return name;
}

const own = ['--user', '--map-root-user', '--pid', '--fork', '--kill-child', '--mount-proc'];
const hasNamespaces = spawnSync('unshare', [...own, 'true']).status === 0;

it.skipIf(!hasNamespaces)(
  'is left to a process of another container, whose pid is meaningless here',
  async () => {
    const place = folder();
    const child = spawn('unshare', [...own, ...holding(place)], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    expect(takeWriteLock(place)).toBeUndefined();
    child.kill('SIGKILL');
    await once(child, 'exit');
    // It may still be alive.
    expect(takeWriteLock(place)).toBeUndefined();
    ageLock(place, 61);
    expect(takeWriteLock(place)?.held()).toBe(true);
  },
);

it('is left to another host for a minute after its last heartbeat', () => {
  const place = folder();
  const lock = takeWriteLock(place);
  const owner = JSON.parse(readFileSync(join(place, 'lock'), 'utf8')) as Record<string, unknown>;
  lock?.release();
  const elsewhere = JSON.stringify({ ...owner, place: 'elsewhere', pid: 2 ** 22 + 1 });
  writeFileSync(join(place, 'lock'), elsewhere);
  ageLock(place, 50);
  expect(takeWriteLock(place)).toBeUndefined();
  for (const seconds of [61, -61]) {
    writeFileSync(join(place, 'lock'), elsewhere);
    ageLock(place, seconds);
    const next = takeWriteLock(place);
    expect(next?.held()).toBe(true);
    next?.release();
  }
  expect(readdirSync(place)).toEqual([]);
});

it('is refreshed by a heartbeat while it is held', async () => {
  const place = folder();
  const lock = takeWriteLock(place, 5);
  ageLock(place, 61);
  const silent = statSync(join(place, 'lock')).mtimeMs;
  await expect.poll(() => statSync(join(place, 'lock')).mtimeMs).toBeGreaterThan(silent + 50_000);
  expect(lock?.held()).toBe(true);
  breakWriteLock(place);
  const next = takeWriteLock(place);
  lock?.release();
  expect(lock?.held()).toBe(false);
  expect(next?.held()).toBe(true);
  next?.release();
  expect(existsSync(join(place, 'lock'))).toBe(false);
});

it('has a draft that counts as living until its writer is killed', async () => {
  const killed = spawn(process.execPath, ['-e', '0']);
  await once(killed, 'exit');
  const place = folder();
  const ownDraft = await observedDraft(place);
  expect(isLivingDraft(place, ownDraft)).toBe(true);
  expect(isLivingDraft(place, ownDraft.replace(`.${process.pid}.`, `.${killed.pid}.`))).toBe(false);
  expect(isLivingDraft(place, 'lock')).toBe(false);
  const elsewhere = 'lock.0123456789ab.1.abc';
  writeFileSync(join(place, elsewhere), '');
  expect(isLivingDraft(place, elsewhere)).toBe(true);
  utimesSync(join(place, elsewhere), 0, 0);
  expect(isLivingDraft(place, elsewhere)).toBe(false);
});
