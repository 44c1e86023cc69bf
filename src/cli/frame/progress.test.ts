import { describe, expect, it } from 'vitest';
import { openProgress } from './progress.ts';

function channel(isTerminal: boolean) {
  const written: string[] = [];
  return {
    written,
    progress: openProgress({
      isTerminal,
      columns: 80,
      write: (text) => void written.push(text),
      style: (_, text) => text,
    }),
  };
}

describe('progress', () => {
  it('redraws a bar on a terminal and clears it at the end', () => {
    const { written, progress } = channel(true);
    progress.report({ phase: 'cloning' });
    progress.report({ phase: 'indexing files', done: 50, total: 200 });
    progress.end();
    progress.end();
    expect(written).toEqual([
      '\r\u001b[Kcloning …',
      `\r\u001b[K${'█'.repeat(6)}${'░'.repeat(18)}  25 %  indexing files (50/200)`,
      '\r\u001b[K',
    ]);
  });

  it('never exceeds the width of the bar', () => {
    const { written, progress } = channel(true);
    progress.report({ phase: 'counting', done: 300, total: 200 });
    expect(written[0]).toContain(`${'█'.repeat(24)} 100 %`);
  });

  it('prints one line per phase elsewhere', () => {
    const { written, progress } = channel(false);
    for (const done of [1, 2, 3]) progress.report({ phase: 'cloning', done, total: 3 });
    progress.report({ phase: 'indexing files', done: 1, total: 3 });
    progress.end();
    expect(written).toEqual(['cloning\n', 'indexing files\n']);
  });
});
