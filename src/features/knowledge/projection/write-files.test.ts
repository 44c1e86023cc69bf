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
import type { FindOwnerRules } from '../links/code-owners.ts';
import { RepositoryFiles } from './repository-files.ts';
import { writeFiles } from './write-files.ts';

interface Writing {
  readonly files: RepositoryFiles;
  /** Writes the files and returns how often the owners of a file were looked up, and other work had a turn. */
  write(
    resolved: ReadonlySet<string> | 'all',
    ownersId?: string,
    owners?: FindOwnerRules,
  ): Promise<{ lookUps: number; turns: number }>;
}

async function withFiles(count: number, work: (writing: Writing) => Promise<void>): Promise<void> {
  const database = { dialect: 'sqlite', file: join(temporaryFolder(), 'graph.db') } as const;
  const derived = await openDerived(database, derivedSchemas, silentLog);
  const { folder: gitDir } = createRepository();
  const { signal } = new AbortController();
  await using reader = openBlobReader(gitDir, signal);
  const files = new RepositoryFiles(gitDir);
  for (let index = 0; index < count; index++) files.add(`${index}.ts`, 'v1', undefined);
  const write: Writing['write'] = async (resolved, ownersId = '', owners = () => []) => {
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
      owners: (path) => {
        counted.lookUps += 1;
        return owners(path);
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
    expect(await lookUps('first')).toBe(1);
    expect(await lookUps('second')).toBe(50);
    files.set('added.ts', 'v1', undefined);
    expect(await lookUps('second')).toBe(51);
    files.delete('7.ts');
    expect(await lookUps('second')).toBe(50);
    expect(await lookUps('second')).toBe(0);
  });
});

it('lets other work of the process run while it compares owners', async () => {
  await withFiles(40, async ({ write }) => {
    await write('all', 'first');
    const slow = () => {
      for (const end = performance.now() + 5; performance.now() < end; );
      return [];
    };
    expect((await write(new Set(), 'second', slow)).turns).toBeGreaterThanOrEqual(10);
  });
});

it('knows the files whose owners were not read, until their owners or all paths are compared again', async () => {
  await withFiles(3, async ({ files, write }) => {
    const notRead = () => [...files.leftOut()].map(({ path, reason }) => `${path}: ${reason}`);
    const exceptOne = (path: string) => (path === '1.ts' ? undefined : []);
    await write('all', 'first', exceptOne);
    expect(notRead()).toEqual(['1.ts: owners_not_read']);
    files.set('2.ts', 'v2', undefined);
    await write(new Set(), 'first');
    expect(notRead()).toEqual(['1.ts: owners_not_read']);
    await write(new Set(), 'second', exceptOne);
    expect(notRead()).toEqual(['1.ts: owners_not_read']);
    await write(new Set(), 'third');
    expect(notRead()).toEqual([]);
  });
});
