import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createRepository, type TestRepository } from '../../../test/support/git-repository.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { readsFrom } from './reads-from.ts';

describe('readsFrom', () => {
  let data: string;
  let mirror: string;
  let repository: TestRepository;
  beforeEach(() => {
    data = temporaryFolder();
    mirror = join(data, 'repositories', 'org', 'r.git');
    repository = createRepository({ 'a.txt': 'a' });
    repository.git('clone', '--quiet', '--bare', '.', mirror);
  });

  const alternates = (text: string, objects = join(repository.folder, '.git', 'objects')): Promise<void> =>
    writeFile(join(objects, 'info', 'alternates'), text);

  it('is false of a repository with a work tree, a bare one, and one that holds the folder', async () => {
    const bare = join(temporaryFolder(), 'bare.git');
    repository.git('clone', '--quiet', '--bare', '.', bare);
    expect(await readsFrom(data, repository.folder)).toBe(false);
    expect(await readsFrom(data, bare)).toBe(false);
    await mkdir(join(repository.folder, 'data'));
    expect(await readsFrom(join(repository.folder, 'data'), repository.folder)).toBe(false);
    await alternates(`# none\n${join(bare, 'objects')}\n`);
    expect(await readsFrom(data, repository.folder)).toBe(false);
  });

  it('sees a repository inside, also by a link to either', async () => {
    const links = temporaryFolder();
    await symlink(data, join(links, 'data'));
    await symlink(mirror, join(links, 'mirror'));
    expect(await readsFrom(data, mirror)).toBe(true);
    expect(await readsFrom(join(links, 'data'), mirror)).toBe(true);
    expect(await readsFrom(data, join(links, 'mirror'))).toBe(true);
    expect(await readsFrom(`${mirror}2`, mirror)).toBe(false);
  });

  it('sees a `.git` file and a common folder that lead inside', async () => {
    const [byFile, byCommon] = [temporaryFolder(), temporaryFolder()];
    await writeFile(join(byFile, '.git'), `gitdir: ${mirror}\n`);
    expect(await readsFrom(data, byFile)).toBe(true);
    await mkdir(join(byCommon, '.git'));
    await writeFile(join(byCommon, '.git', 'commondir'), `${mirror}\n`);
    expect(await readsFrom(data, byCommon)).toBe(true);
  });

  it('sees alternates that lead inside, also by way of others', async () => {
    const other = createRepository({ 'b.txt': 'b' });
    await alternates(`../../../${'../'.repeat(8)}${join(mirror, 'objects')}`);
    expect(await readsFrom(data, repository.folder)).toBe(true);
    await alternates(join(repository.folder, '.git', 'objects'), join(other.folder, '.git', 'objects'));
    expect(await readsFrom(data, other.folder)).toBe(true);
  });

  it('trusts no alternates that it cannot read as Git does', async () => {
    await alternates('"/quoted"');
    expect(await readsFrom(data, repository.folder)).toBe(true);
    await alternates(Array.from({ length: 20 }, (_, index) => `/absent/${index}`).join('\n'));
    expect(await readsFrom(data, repository.folder)).toBe(true);
  });

  it('sees linked objects and packs', async () => {
    const objects = join(repository.folder, '.git', 'objects');
    await rename(join(objects, 'pack'), join(objects, 'former'));
    await symlink(join(mirror, 'objects', 'pack'), join(objects, 'pack'));
    expect(await readsFrom(data, repository.folder)).toBe(true);
    await rename(objects, `${objects}.former`);
    await symlink(join(mirror, 'objects'), objects);
    expect(await readsFrom(data, repository.folder)).toBe(true);
  });
});
