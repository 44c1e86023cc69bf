import { expect, it } from 'vitest';
import { memoryLog } from '../../../test/support/memory-log.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { loadConfig } from '../../foundation/config/load-config.ts';
import { warnIneffective } from './warn-ineffective.ts';

function warned(env: Record<string, string>): readonly Record<string, unknown>[] {
  const { log, lines } = memoryLog();
  const folder = temporaryFolder();
  warnIneffective(loadConfig({ env, cwd: folder, homeDir: folder }), log);
  return lines;
}

it('logs one warning with the names of settings without effect, without their values', () => {
  const lines = warned({ MODEL_BASE_URL: 'https://model.example', MODEL_API_KEY: 'hunter2', PORT: '0' });
  expect(lines).toMatchObject([{ level: 40, settings: ['MODEL_BASE_URL', 'MODEL_API_KEY'] }]);
  expect(JSON.stringify(lines)).not.toMatch(/model\.example|hunter2/);
});

it('logs nothing if all configured settings have an effect', () => {
  expect(warned({ PORT: '0', LOG_LEVEL: 'info' })).toEqual([]);
});
