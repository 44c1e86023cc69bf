import { expect, it } from 'vitest';
import { countLoopTurns, stepClock } from '../../../test/support/loop-turns.ts';
import { packPaths } from '../../backends/codesearch/port.ts';
import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import { meantLines } from './meant-lines.ts';
import type { RepositoryLines } from './name-lines.ts';
import { NameMeanings } from './name-meanings.ts';

const nothing = new NameMeanings({ definitions: [], uses: [], imports: [], enclosing: [], truncated: false });
const paths = Array.from({ length: 2_000 }, (_, index) => `src/${1_000 + index}.ts`);
const lists: readonly RepositoryLines[] = [
  {
    repository: 'r1' as RepositoryId,
    name: 'many',
    commit: 'c'.repeat(40),
    paths: packPaths(paths),
    ends: Uint32Array.from(paths, (_, index) => 300 * (index + 1)),
    lines: Uint32Array.from({ length: 600_000 }, (_, index) => (index % 300) + 1),
    definitions: new Map(paths.map((path) => [path, new Set([50])])),
  },
];
const wanted = { targets: undefined, repositories: [] };

it('lets other work go on while it reads 600,000 lines, and takes less than 20 bytes for each', async () => {
  stepClock();
  const turns = countLoopTurns();
  const meant = await meantLines(lists, nothing, wanted, new AbortController().signal);
  turns.stop();
  expect(turns.count).toBeGreaterThan(1);
  expect(meant.total).toBe(600_000);
  expect(meant.counts).toMatchObject({ certain: 0, possible: 0, text: 600_000, elsewhere: 0 });
  expect(meant.bytes).toBeLessThan(600_000 * 20);
  const definitionsThenText = meant.slice(1_999, 2_001);
  expect(definitionsThenText).toMatchObject([
    { path: 'src/2999.ts', line: 50, isDefinition: true },
    { path: 'src/1000.ts', line: 1, isDefinition: false },
  ]);
  expect(meant.slice(599_999, 900_000)).toMatchObject([{ path: 'src/2999.ts', line: 300 }]);
  expect(meant.slice(600_000, 600_050)).toEqual([]);
});

it('stops when nobody waits any more', async () => {
  const gone = AbortSignal.abort(new Error('gone'));
  await expect(meantLines(lists, nothing, wanted, gone)).rejects.toThrow('gone');
});
