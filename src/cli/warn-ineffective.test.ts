import { expect, it } from 'vitest';
import { memoryLog } from '../../test/support/memory-log.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { loadConfig } from '../foundation/config/load-config.ts';
import { warnIneffective } from './warn-ineffective.ts';

function warned(env: Record<string, string>): readonly Record<string, unknown>[] {
  const { log, lines } = memoryLog();
  const folder = temporaryFolder();
  warnIneffective(loadConfig({ env, cwd: folder, homeDir: folder }), log);
  return lines;
}

it('names the settings that are set and have no effect, in one warning without their values', () => {
  const lines = warned({ GRAPH_DB_URI: 'neo4j://graph.example', MODEL_API_KEY: 'hunter2', PORT: '0' });
  expect(lines).toMatchObject([{ level: 40, settings: ['GRAPH_DB_URI', 'MODEL_API_KEY'] }]);
  expect(JSON.stringify(lines)).not.toMatch(/graph\.example|hunter2/);
});

it('is silent where all that is set has an effect, whatever the defaults', () => {
  expect(warned({ PORT: '0', LOG_LEVEL: 'info' })).toEqual([]);
});
