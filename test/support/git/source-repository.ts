import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { sourceChange, sourceFixture } from '../../contract/codesearch/source-reader.ts';
import { createRepository, type TestRepository } from './git-repository.ts';

export interface SourceRepository {
  readonly source: TestRepository;
  /** The commit of `sourceFixture`, with a link and a submodule. */
  readonly first: string;
  /** The commit of `sourceChange`, on top of it. */
  readonly indexed: string;
}

/** The repository that `describeSourceReader` reads. */
export function createSourceRepository(): SourceRepository {
  const source = createRepository();
  source.commit(sourceFixture);
  symlinkSync('a.ts', join(source.folder, 'src/link'));
  source.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},lib`);
  source.git('add', 'src/link');
  source.git('commit', '--quiet', '--amend', '--message', 'Start');
  const first = source.git('rev-parse', 'HEAD');
  for (const [path, content] of Object.entries(sourceChange)) {
    const blob = execFileSync('git', ['hash-object', '-w', '--stdin'], {
      cwd: source.folder,
      input: content,
      encoding: 'utf8',
    });
    source.git('update-index', '--cacheinfo', `100644,${blob.trim()},${path}`);
  }
  source.git('commit', '--quiet', '--message', 'Change');
  return { source, first, indexed: source.git('rev-parse', 'HEAD') };
}
