import { afterEach, describe, expect, it } from 'vitest';
import { type HostileGitHost, startHostileGitHost } from '../../../../test/standins/hostile-git-host.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { parseSource } from '../source/parse-source.ts';
import { type RemoteTips, remoteTips } from './remote-tips.ts';
import { throughRedirects } from './through-redirects.ts';

let host: HostileGitHost;
afterEach(() => host.close());

async function tipsOf(refs: readonly string[], patterns: readonly string[]): Promise<RemoteTips> {
  host = await startHostileGitHost({ kind: 'offer', refs });
  const allowHosts = [new URL(host.origin).host];
  const folder = temporaryFolder();
  const approach = {
    source: parseSource(`${host.origin}/owner/name.git`, { allowLocal: false, allowHosts }),
    deps: { dataDir: folder, allowHosts },
    folder,
    stallMs: 10_000,
    signal: new AbortController().signal,
  };
  return throughRedirects(approach, (run) => remoteTips(run, undefined, patterns));
}

describe('the tips of a host that is not Git', () => {
  it('include only valid branch names and count the others', async () => {
    const bad = ['a:refs/orgctx/source', '-x', '../../config', 'a\u202eb', 'x'.repeat(300), 'HEAD', 'a..b'];
    const refs = ['good', 'release/1', ...bad].map((name) => `refs/heads/${name}`);
    const tips = await tipsOf([...refs, 'refs/tags/v1', 'refs/pull/1/head'], ['*']);
    expect(tips.head.branch).toBe('main');
    expect(tips.further.map(({ branch }) => branch)).toEqual(['release/1', 'good']);
    expect(tips.skippedBranches).toEqual({ unsafe_branch_name: bad.length });
  });

  it('include only the default branch if no other is requested', async () => {
    expect(await tipsOf(['refs/heads/good', 'refs/heads/-x'], [])).toMatchObject({
      further: [],
      skippedBranches: {},
    });
  });

  it('are refused above the output limit, which the message names', async () => {
    const refs = Array.from({ length: 70_000 }, (_, index) => `refs/heads/${index}-${'x'.repeat(200)}`);
    await expect(tipsOf(refs, ['*'])).rejects.toMatchObject({
      reason: 'too_large',
      message: expect.stringContaining('(16 MiB of output)') as string,
    });
  });
});
