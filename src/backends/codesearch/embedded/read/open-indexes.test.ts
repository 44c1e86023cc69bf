import { readdirSync, readlinkSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { indexRequest, namedRepository } from '../../../../../test/support/codesearch/index-request.ts';
import { openTestIndex } from '../../../../../test/support/codesearch/open-test-index.ts';
import { createRepository } from '../../../../../test/support/git/git-repository.ts';
import { silentLog } from '../../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import type { OrganizationId } from '../../../../foundation/kernel/ids.ts';
import { repositoryFolder } from '../format/repository-folder.ts';
import { OpenIndexes } from './open-indexes.ts';
import { ownTables } from './table-store.ts';

const root = temporaryFolder();
const scope = { organizationId: 'org' as OrganizationId, orgSlug: 'org' };
const ids = ['one', 'three', 'two'];
const indexes = new OpenIndexes(root, ownTables, { segments: 2, text: 1024, tables: 256 * 1024 });

beforeAll(async () => {
  const index = openTestIndex({ root, log: silentLog });
  const longPath = `${'x'.repeat(250)}/`.repeat(12);
  const many = createRepository(
    Object.fromEntries(Array.from({ length: 100 }, (_, file) => [`${longPath}${file}.ts`, 'needle\n'])),
  );
  const small = createRepository({ 'a.ts': 'const needle = 1;\n' });
  const large = createRepository({ 'a.ts': 'const needle = 1;\n'.repeat(100) });
  const all = [...ids.map((id) => ({ id, repository: small })), { id: 'zlarge', repository: large }];
  for (const { id, repository } of [...all, { id: 'zpaths', repository: many }]) {
    const to = repository.git('rev-parse', 'HEAD');
    const gitDir = `${repository.folder}/.git`;
    await index.apply(indexRequest({ scope, repository: id, gitDir, to }), new AbortController().signal);
  }
});
afterAll(() => indexes.close());

function ask(...repositories: string[]): string[] {
  const named = repositories.map((id) => namedRepository(id));
  const { segments } = indexes.inRange({ organizationId: 'org', repositories: named });
  return segments.map(({ repositoryId, segment }) => {
    expect(segment.readUnit(0).toString()).toContain('needle');
    return repositoryId;
  });
}

/** Returns the repositories of which this process has a segment open, according to the operating system. */
function openNow(): string[] {
  const files = readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return [];
    }
  });
  const own = files.filter((file) => file.startsWith(root) && file.endsWith('.seg'));
  return own.map((file) => file.split('/').at(-2)!).toSorted();
}

describe.skipIf(process.platform !== 'linux')('the indexes a thread has open', () => {
  it('include all that one query needs', () => {
    expect(ask(...ids)).toEqual(ids);
    expect(openNow()).toEqual(ids);
  });

  it('stay open if the next query needs them too, even beyond the bound', () => {
    const opened = (): readonly unknown[] => {
      const named = ids.map((id) => namedRepository(id));
      return indexes
        .inRange({ organizationId: 'org', repositories: named })
        .segments.map(({ segment }) => segment);
    };
    const [before, after] = [opened(), opened()];
    expect(before.map((segment, at) => segment === after[at])).toEqual([true, true, true]);
    expect(openNow()).toEqual(ids);
  });

  it('are closed down to the bound by the next query, the least recently used first', () => {
    ask('one');
    expect(openNow()).toEqual(['one', 'two']);
    ask('three');
    ask('three');
    expect(openNow()).toEqual(['one', 'three']);
  });

  it('are reopened when a query needs them', () => {
    expect(ask('one')).toEqual(['one']);
  });

  it('are also bounded by the size of their text', () => {
    expect(ask('zlarge')).toEqual(['zlarge']);
    ask('one');
    expect(openNow()).toEqual(['one']);
  });

  it('are also bounded by the size of their tables in memory', () => {
    expect(ask('one', 'zpaths')).toEqual(['one', 'zpaths']);
    ask('one');
    expect(openNow()).toEqual(['one']);
  });
});

describe('an index that is lost', () => {
  const damaged = (...repositories: string[]): boolean => {
    const named = repositories.map((id) => namedRepository(id));
    return indexes.inRange({ organizationId: 'org', repositories: named }).damaged;
  };

  it('is reported as damaged if its repository is named, like one that never existed or is of another organization', () => {
    expect(damaged(...ids)).toBe(false);
    expect(damaged('one', 'never')).toBe(true);
    expect(indexes.inRange({ organizationId: 'other', repositories: [namedRepository('one')] })).toEqual(
      indexes.inRange({ organizationId: 'other', repositories: [namedRepository('never')] }),
    );
    expect(indexes.inRange({ organizationId: 'org' }).damaged).toBe(false);
  });

  it('is reported from the next check on, even if it was open', async () => {
    expect(damaged('two')).toBe(false);
    rmSync(repositoryFolder(root, 'org', 'two'), { recursive: true });
    await expect.poll(() => damaged('one', 'two')).toBe(true);
    expect(ask('one', 'two')).toEqual(['one']);
  });
});
