import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createRepository, type TestRepository } from '../../../../test/support/git/git-repository.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
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

  it('is false for a repository with a work tree, a bare one, and one that contains the folder', async () => {
    const bare = join(temporaryFolder(), 'bare.git');
    repository.git('clone', '--quiet', '--bare', '.', bare);
    expect(await readsFrom(data, repository.folder)).toBe(false);
    expect(await readsFrom(data, bare)).toBe(false);
    await mkdir(join(repository.folder, 'data'));
    expect(await readsFrom(join(repository.folder, 'data'), repository.folder)).toBe(false);
    await alternates(`# none\n${join(bare, 'objects')}\n`);
    expect(await readsFrom(data, repository.folder)).toBe(false);
  });

  it('detects a repository inside, also through a link to either', async () => {
    const links = temporaryFolder();
    await symlink(data, join(links, 'data'));
    await symlink(mirror, join(links, 'mirror'));
    expect(await readsFrom(data, mirror)).toBe(true);
    expect(await readsFrom(join(links, 'data'), mirror)).toBe(true);
    expect(await readsFrom(data, join(links, 'mirror'))).toBe(true);
    expect(await readsFrom(`${mirror}2`, mirror)).toBe(false);
  });

  it('detects a `.git` file and a common folder that lead inside', async () => {
    const [byFile, byCommon] = [temporaryFolder(), temporaryFolder()];
    await writeFile(join(byFile, '.git'), `gitdir: ${mirror}\n`);
    expect(await readsFrom(data, byFile)).toBe(true);
    await mkdir(join(byCommon, '.git'));
    await writeFile(join(byCommon, '.git', 'commondir'), `${mirror}\n`);
    expect(await readsFrom(data, byCommon)).toBe(true);
  });

  it('detects alternates that lead inside, also through others', async () => {
    const other = createRepository({ 'b.txt': 'b' });
    await alternates(`../../../${'../'.repeat(8)}${join(mirror, 'objects')}`);
    expect(await readsFrom(data, repository.folder)).toBe(true);
    await alternates(join(repository.folder, '.git', 'objects'), join(other.folder, '.git', 'objects'));
    expect(await readsFrom(data, other.folder)).toBe(true);
  });

  describe('in another repository', () => {
    /** Returns whether Git, started in the Git folder, reads the commit of the mirror through these alternates. */
    async function readsThrough({ folder }: TestRepository, line: string): Promise<boolean> {
      const cwd = join(folder, '.git');
      await alternates(`${line}\n`, join(cwd, 'objects'));
      const commit = repository.git('rev-parse', 'HEAD');
      return spawnSync('git', ['--git-dir=.', 'cat-file', '-e', commit], { cwd }).status === 0;
    }

    it('follows a link in the path of alternates before `..`', async () => {
      const other = createRepository({ 'b.txt': 'b' });
      const outside = temporaryFolder();
      await mkdir(join(outside, 'sub'));
      await mkdir(join(outside, 'objects'));
      await symlink(join(mirror, 'objects', 'pack'), join(outside, 'sub', 'link'));
      expect(await readsThrough(other, `${outside}/sub/link/../../objects`)).toBe(true);
      expect(await readsFrom(data, other.folder)).toBe(true);
    });

    // A folder below /proc/self depends on the process that asks.
    it.runIf(process.platform === 'linux')('does not trust a path that leads to nothing here', async () => {
      const other = createRepository({ 'b.txt': 'b' });
      await symlink(join(mirror, 'objects'), join(other.folder, '.git', 'link'));
      expect(await readsThrough(other, '/proc/self/cwd/link')).toBe(true);
      expect(await readsFrom(data, other.folder)).toBe(true);
      await alternates('', join(other.folder, '.git', 'objects'));
      const link = join(other.folder, '.git', 'objects', 'ab');
      await symlink('/proc/self/cwd/link/ab', link);
      expect(await readsFrom(data, other.folder)).toBe(true);
    });
  });

  it('does not trust alternates that it cannot parse like Git', async () => {
    await alternates('"/quoted"');
    expect(await readsFrom(data, repository.folder)).toBe(true);
    await alternates(Array.from({ length: 20 }, (_, index) => `/absent/${index}`).join('\n'));
    expect(await readsFrom(data, repository.folder)).toBe(true);
  });

  it('detects linked objects and packs', async () => {
    const objects = join(repository.folder, '.git', 'objects');
    await rename(join(objects, 'pack'), join(objects, 'former'));
    await symlink(join(mirror, 'objects', 'pack'), join(objects, 'pack'));
    expect(await readsFrom(data, repository.folder)).toBe(true);
    await rename(objects, `${objects}.former`);
    await symlink(join(mirror, 'objects'), objects);
    expect(await readsFrom(data, repository.folder)).toBe(true);
  });

  /** Returns the path of a folder for objects that has none yet. Which ones exist depends on the ids of the commits. */
  async function unusedFolder(objects: string): Promise<string> {
    const existing = await readdir(objects);
    const names = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
    return join(objects, names.find((name) => !existing.includes(name)) ?? '');
  }

  it('detects links of single packs and objects, also through linked folders', async () => {
    const objects = join(repository.folder, '.git', 'objects');
    const packs = await readdir(join(mirror, 'objects', 'pack'));
    const outside = temporaryFolder();
    const link = (name: string | Buffer) =>
      symlink(join(mirror, 'objects', 'pack', packs.find((file) => file.endsWith('.idx')) ?? ''), name);
    const places = [
      join(objects, 'pack', 'pack-x.idx'),
      Buffer.concat([Buffer.from(join(objects, 'pack/')), Buffer.of(0xff), Buffer.from('.idx')]),
      join(objects, 'info', 'commit-graph'),
    ];
    for (const place of places) {
      await link(place);
      expect(await readsFrom(data, repository.folder), String(place)).toBe(true);
      await rm(place);
    }
    await link(join(outside, 'pack-x.idx'));
    await symlink(outside, await unusedFolder(objects));
    expect(await readsFrom(data, repository.folder)).toBe(true);
  });

  it('allows links that lead elsewhere', async () => {
    const objects = join(repository.folder, '.git', 'objects');
    const outside = temporaryFolder();
    await symlink(outside, await unusedFolder(objects));
    await symlink(objects, join(outside, 'round'));
    expect(await readsFrom(data, repository.folder)).toBe(false);
  });

  describe('follows paths as Git does:', () => {
    /** Returns whether Git reads the mirror through a folder with this `.git` file. */
    const reads = (folder: string): boolean =>
      spawnSync('git', ['-C', folder, 'cat-file', '-e', repository.git('rev-parse', 'HEAD')], {
        env: { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
      }).status === 0;

    it.each([
      ['a line break in the name', Buffer.from('evil\nlink'), Buffer.from('evil\nlink\n')],
      ['a space at the end', Buffer.from('link '), Buffer.from('link \n')],
      ['a byte that is not UTF-8', Buffer.of(0xff), Buffer.of(0xff, 0x0a)],
    ])('a `.git` file with %s', async (_what, name, text) => {
      const folder = temporaryFolder();
      await symlink(mirror, Buffer.concat([Buffer.from(`${folder}/`), name]));
      await writeFile(join(folder, '.git'), Buffer.concat([Buffer.from('gitdir: '), text]));
      expect(reads(folder)).toBe(true);
      expect(await readsFrom(data, folder)).toBe(true);
    });

    it('a `.git` file that leaves a link by `..`', async () => {
      const folder = temporaryFolder();
      await mkdir(join(data, 'repositories', 'other'));
      await symlink(join(data, 'repositories', 'other'), join(folder, 'link'));
      await writeFile(join(folder, '.git'), 'gitdir: link/../org/r.git\n');
      expect(reads(folder)).toBe(true);
      expect(await readsFrom(data, folder)).toBe(true);
    });

    it.each([
      ['a space at the end', Buffer.from('link '), Buffer.from('link ')],
      ['a byte that is not UTF-8', Buffer.of(0xff), Buffer.of(0xff)],
    ])('alternates with %s', async (_what, name, text) => {
      const [folder, places] = [temporaryFolder(), temporaryFolder()];
      execFileSync('git', ['init', '--quiet', folder]);
      await symlink(join(mirror, 'objects'), Buffer.concat([Buffer.from(`${places}/`), name]));
      const line = Buffer.concat([Buffer.from(`${places}/`), text]);
      await writeFile(join(folder, '.git/objects/info/alternates'), line);
      expect(reads(folder)).toBe(true);
      expect(await readsFrom(data, folder)).toBe(true);
    });
  });
});
