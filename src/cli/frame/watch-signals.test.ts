import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';

const script = `
  const { watchSignals } = await import(${JSON.stringify(new URL('./watch-signals.ts', import.meta.url).href)});
  const signal = watchSignals(process);
  signal.addEventListener('abort', () => console.log(signal.reason.message));
  setInterval(() => undefined, 1000);
  console.log('watching');`;

/** Starts a process that prints the first signal and keeps running. */
function startPersistent() {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (line: string) => void lines.push(...line.trim().split('\n')));
  return { child, lines };
}

describe('watchSignals', () => {
  it('requests a graceful end after the first signal and exits after the second', async () => {
    const { child, lines } = startPersistent();
    await expect.poll(() => lines).toEqual(['watching']);
    child.kill('SIGINT');
    await expect.poll(() => lines).toEqual(['watching', 'Interrupted (Ctrl-C).']);
    expect(child.exitCode).toBeNull();
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([130, null]);
  });

  it.runIf(existsSync('/dev/full'))('ends with one line and exit code 1 if stdout is full', async () => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', full, 'pipe'],
    });
    closeSync(full);
    const [errors, [code]] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
    expect(code).toBe(1);
    expect(errors).toMatch(/^error: the output cannot be written: ENOSPC[^\n]*\.\n$/);
  });
});
