import { describe, expect, it } from 'vitest';
import { createRepository, type TestRepository } from '../../../../../test/support/git/git-repository.ts';
import { writeCollidingCommits, writeCommit } from '../../../../../test/support/git/written-commits.ts';
import { openBlobReader } from '../blob-reader.ts';
import { reachedCommits } from './reached-commits.ts';

const { signal } = new AbortController();

async function find(
  source: TestRepository,
  prefix: string,
  head = source.git('rev-parse', 'main'),
  until = signal,
) {
  const gitDir = `${source.folder}/.git`;
  await using reader = openBlobReader(gitDir);
  return await reachedCommits({ gitDir, head, reader }, prefix, until);
}

describe('reachedCommits', () => {
  it('finds the commits of all lines, also shortened, and those of further branches', async () => {
    const source = createRepository({ a: '1' });
    const start = source.git('rev-parse', 'HEAD');
    source.git('checkout', '--quiet', '-b', 'side');
    const side = source.commit({ b: '1' });
    source.git('checkout', '--quiet', 'main');
    source.commit({ c: '1' });
    source.git('merge', '--quiet', '--no-ff', 'side', '--message', 'Merge');
    source.git('checkout', '--quiet', '--orphan', 'next');
    const further = source.commit({ d: '1' });
    for (const id of [start, side, source.git('rev-parse', 'main')]) {
      expect(await find(source, id)).toEqual([id]);
      expect(await find(source, id.slice(0, 7))).toEqual([id]);
    }
    expect(await find(source, further)).toEqual([]);
    for (const ref of ['refs/orgctx/branches/team/next', 'refs/orgctx/tips/0', 'refs/orgctx/source']) {
      source.git('update-ref', ref, further);
      expect(await find(source, further.slice(0, 12))).toEqual([further]);
      source.git('update-ref', '-d', ref);
    }
  });

  it('finds no commit that no branch reaches, and nothing else', async () => {
    const source = createRepository({ a: '1' });
    const head = source.git('rev-parse', 'HEAD');
    const dangling = source.commit({ a: '2' });
    source.git('reset', '--quiet', '--hard', head);
    source.git('update-ref', 'refs/other/kept', dangling);
    const others = ['HEAD:a', 'HEAD^{tree}'].map((name) => source.git('rev-parse', name));
    const texts = ['HEAD', 'main', '--all', head.slice(0, 6), head.toUpperCase(), `${head}^`, ''];
    for (const text of [dangling, dangling.slice(0, 7), ...others, ...texts, '0'.repeat(40), 'f'.repeat(64)])
      expect([text, await find(source, text)]).toEqual([text, []]);
  });

  it('is exact when the dates of commits do not follow their order', async () => {
    const source = createRepository({ a: '1' });
    const at = (year: number, ...parents: readonly string[]): string =>
      writeCommit(source, { parents, message: `In ${year}`, time: Date.UTC(year) / 1_000 });
    let base = at(2000);
    for (let year = 2001; year < 2020; year += 1) base = at(year, base);
    const cited = at(2024, base);
    const head = at(2025, base, at(1990, at(1989, cited)));
    expect(await find(source, cited, head)).toEqual([cited]);
    expect(await find(source, cited, base)).toEqual([]);
  });

  it('returns all commits of an ambiguous id, without those that no branch reaches', async () => {
    const source = createRepository({ a: '1' });
    const [first, second] = writeCollidingCommits(source);
    const prefix = first.slice(0, 7);
    expect(await find(source, prefix)).toEqual([]);
    source.git('reset', '--quiet', '--hard', first);
    expect(await find(source, prefix)).toEqual([first]);
    source.git('merge', '--quiet', '--no-ff', second, '--message', 'Merge');
    expect((await find(source, prefix)).toSorted()).toEqual([first, second].toSorted());
    expect(await find(source, second)).toEqual([second]);
  });

  it('ends when it is cancelled', async () => {
    const source = createRepository({ a: '1' });
    const head = source.git('rev-parse', 'HEAD');
    await expect(find(source, head, head, AbortSignal.abort(new Error('cancelled')))).rejects.toThrow(
      'cancelled',
    );
  });
});
