import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { breakWriteLock, isLivingDraft, takeWriteLock } from './write-lock.ts';

const folder = (): string => temporaryFolder();

it('is held by one writer, and free when released', () => {
  const place = folder();
  const lock = takeWriteLock(place);
  expect(lock?.held()).toBe(true);
  expect(takeWriteLock(place)).toBeUndefined();
  lock?.release();
  expect(takeWriteLock(place)?.held()).toBe(true);
});

it('is taken over from a process that was killed', async () => {
  const place = folder();
  const module = join(import.meta.dirname, 'write-lock.ts');
  const script = `import { takeWriteLock } from ${JSON.stringify(module)}; takeWriteLock(${JSON.stringify(place)}); console.log('taken'); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  expect(takeWriteLock(place)).toBeUndefined();
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(takeWriteLock(place)?.held()).toBe(true);
});

it('is taken over from a former process that had the same pid', () => {
  const place = folder();
  takeWriteLock(place);
  const owner = JSON.parse(readFileSync(join(place, 'lock'), 'utf8')) as { started: string };
  writeFileSync(join(place, 'lock'), JSON.stringify({ ...owner, started: `${owner.started}0` }));
  expect(takeWriteLock(place)?.held()).toBe(true);
});

it('is no longer held once it was broken', () => {
  const place = folder();
  const lock = takeWriteLock(place);
  breakWriteLock(place);
  expect(lock?.held()).toBe(false);
  const next = takeWriteLock(place);
  lock?.release();
  expect(next?.held()).toBe(true);
});

it('has a draft that is kept while its writer lives and swept after it was killed', async () => {
  const killed = spawn(process.execPath, ['-e', '0']);
  await once(killed, 'exit');
  expect(isLivingDraft(`lock.${process.pid}.abc`)).toBe(true);
  expect(isLivingDraft(`lock.${killed.pid}.abc`)).toBe(false);
  expect(isLivingDraft('lock')).toBe(false);
});
