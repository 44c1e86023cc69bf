import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeBlocks, readPage } from '../support/run/readme.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const [unit = ''] = codeBlocks(readPage('README.md'), 'ini');
const hasAnalyzer = spawnSync('systemd-analyze', ['--version']).status === 0;

describe('the systemd unit of README.md', () => {
  it('starts after the network, as the user whose data folder it is', () => {
    for (const line of ['Wants=network-online.target', 'After=network-online.target', 'User=orgctx']) {
      expect(unit.split('\n')).toContain(line);
    }
  });

  it('waits before each new start, because systemd gives up after five starts within ten seconds', () => {
    expect(Number(/^RestartSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(2);
  });

  it('leaves Node its compiler, which needs memory that is writable and executable', () => {
    expect(unit).not.toContain('MemoryDenyWriteExecute');
  });

  it.skipIf(!hasAnalyzer)('has an exposure below 2 (needs systemd-analyze)', () => {
    const file = join(temporaryFolder(), 'orgctx.service');
    writeFileSync(file, unit);
    const words = ['security', '--offline=true', '--no-pager', file];
    const { stdout } = spawnSync('systemd-analyze', words, { encoding: 'utf8', timeout: 20_000 });
    const exposure = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1];
    expect(Number(exposure)).toBeLessThan(2);
  });
});
