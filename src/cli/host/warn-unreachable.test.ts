import { expect, it } from 'vitest';
import { memoryLog } from '../../../test/support/memory-log.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { loadConfig } from '../../foundation/config/load-config.ts';
import { warnUnreachable } from './warn-unreachable.ts';

function warnings(env: Readonly<Record<string, string>>): readonly string[] {
  const folder = temporaryFolder();
  const { log, lines } = memoryLog();
  warnUnreachable(loadConfig({ env, cwd: folder, homeDir: folder }), log);
  return lines.map(({ msg }) => String(msg));
}

it.each(['0.0.0.0', '::', '192.0.2.1'])('warns that AUTH_BASE_URL is missing on %s', (HOST) => {
  expect(warnings({ HOST })).toEqual([expect.stringContaining('set AUTH_BASE_URL')]);
});

it.each([
  { HOST: '127.0.0.1' },
  { HOST: '::1' },
  { HOST: 'localhost' },
  { HOST: '0.0.0.0', AUTH_BASE_URL: 'https://c.example', AUTH_SECRET: 'x'.repeat(40) },
])('does not warn with %j', (env) => {
  expect(warnings(env)).toEqual([]);
});
