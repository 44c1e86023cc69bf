import { readFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { workerFlags } from '../../src/app/processes/worker-flags.ts';
import { orgctx, type RunningProgram, start } from '../support/program/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let running: RunningProgram | undefined;
afterEach(() => running?.stop());

const argumentsOf = (pid: number | undefined) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');

it.each(['worker', 'codesearch'])('orgctx %s runs with the flags of a supervised worker', async (command) => {
  const dataDir = temporaryFolder();
  const env = { CODESEARCH_SECRET: 'x'.repeat(40), DATA_DIR: dataDir };
  if (command === 'worker') {
    const args = ['admin', 'create', '--email', 'a@example.com', '--org', 'acme'];
    expect((await orgctx(args, { env })).code).toBe(0);
  }
  const started = start(command === 'worker' ? [command] : [command, '--port', '0'], { env });
  running = started;
  await started.line((text) => text.includes(command === 'worker' ? '"working"' : '"listening"'));
  const words = argumentsOf(started.process.pid);
  for (const flag of workerFlags) expect(words).toContain(flag);

  expect(started.output.stderr).not.toMatch(/experimental/i);
  expect(await started.stop()).toBe(0);
});
