import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createRepository } from '../../../../test/support/git/git-repository.ts';
import { ours } from '../../../../test/support/graph/graph-facts.ts';
import { silentLog } from '../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { derivedSchemas } from '../../../app/open/open-database.ts';
import { openGraphWriter } from '../../../backends/graph/sql/open-graph-writer.ts';
import { openDerived } from '../../../foundation/db/derived/open-derived.ts';
import { openBlobReader } from '../../../foundation/git/objects/blob-reader.ts';
import { RepositoryFiles } from './repository-files.ts';
import { writeFiles } from './write-files.ts';

interface Writing {
  readonly files: RepositoryFiles;
  /** Writes the files and returns how often the owners of a file were looked up, and other work had a turn. */
  write(
    resolved: ReadonlySet<string> | 'all',
    ownersId?: string,
  ): Promise<{ lookUps: number; turns: number }>;
}

async function withFiles(count: number, work: (writing: Writing) => Promise<void>): Promise<void> {
  const database = { dialect: 'sqlite', file: join(temporaryFolder(), 'graph.db') } as const;
  const derived = await openDerived(database, derivedSchemas, silentLog);
  const { folder: gitDir } = createRepository();
  const { signal } = new AbortController();
  await using reader = openBlobReader(gitDir, signal);
  const files = new RepositoryFiles(gitDir, []);
  for (let index = 0; index < count; index++) files.add(`${index}.ts`, 'v1', undefined);
  const write: Writing['write'] = async (resolved, ownersId = '') => {
    const counted = { lookUps: 0, turns: 0 };
    let ended = false;
    const turn = (): void => {
      counted.turns += 1;
      if (!ended) setImmediate(turn);
    };
    setImmediate(turn);
    await writeFiles({
      scope: ours,
      repository: {
        id: 'r1',
        name: 'r1',
        source: gitDir,
        hosted: undefined,
        gitDir,
        commit: '',
        sources: [],
      },
      files,
      owners: () => {
        counted.lookUps += 1;
        return [];
      },
      ownersId,
      reader,
      graph: openGraphWriter(derived),
      resolved,
      signal,
    });
    ended = true;
    return counted;
  };
  await work({ files, write });
  files.close();
  await derived.close();
}

it('lets other work of the process run between two files', async () => {
  await withFiles(50, async ({ write }) => {
    expect((await write('all')).turns).toBeGreaterThanOrEqual(50);
  });
});

it('looks up the owners of the changed file alone, unless owners or paths changed', async () => {
  await withFiles(50, async ({ files, write }) => {
    const lookUps = async (ownersId: string): Promise<number> => (await write(new Set(), ownersId)).lookUps;
    await write('all', 'first');
    files.set('7.ts', 'v2', undefined);
    // A file that is written is looked up twice.
    expect(await lookUps('first')).toBe(2);
    expect(await lookUps('second')).toBe(50);
    files.set('added.ts', 'v1', undefined);
    expect(await lookUps('second')).toBe(52);
    files.delete('7.ts');
    expect(await lookUps('second')).toBe(50);
    expect(await lookUps('second')).toBe(0);
  });
});

it('lets other work of the process run while it compares owners', async () => {
  await withFiles(1_000, async ({ write }) => {
    await write('all', 'first');
    expect((await write(new Set(), 'second')).turns).toBeGreaterThanOrEqual(10);
  });
});
