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

it('lets other work of the process run between two files', async () => {
  const database = { dialect: 'sqlite', file: join(temporaryFolder(), 'graph.db') } as const;
  const derived = await openDerived(database, derivedSchemas, silentLog);
  const { folder: gitDir } = createRepository();
  const { signal } = new AbortController();
  await using reader = openBlobReader(gitDir, signal);
  const files = new RepositoryFiles(gitDir, []);
  for (let index = 0; index < 50; index++) files.add(`${index}.ts`, 'v1', undefined);
  let [turns, ended] = [0, false];
  const count = (): void => {
    turns += 1;
    if (!ended) setImmediate(count);
  };
  setImmediate(count);
  await writeFiles({
    scope: ours,
    repository: { id: 'r1', name: 'r1', source: gitDir, hosted: undefined, gitDir, commit: '', sources: [] },
    files,
    owners: () => undefined,
    reader,
    graph: openGraphWriter(derived),
    resolved: 'all',
    signal,
  });
  ended = true;
  expect(turns).toBeGreaterThanOrEqual(50);
  files.close();
  await derived.close();
});
