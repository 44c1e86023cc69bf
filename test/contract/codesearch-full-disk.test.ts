import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { itWhen } from '../support/databases.ts';
import { createRepository } from '../support/git-repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A user may have a file system of its own where the kernel lets it (Linux, user namespaces). */
const own = ['-rm', '/bin/sh', '-c'];
const canMount = spawnSync('unshare', [...own, 'mount -t tmpfs none /mnt']).status === 0;
const module = (path: string): string => new URL(path, import.meta.url).href;

const repository = createRepository();
const gitDir = join(repository.folder, '.git');
const small = repository.commit({ 'a.ts': 'first\n' });
const large = repository.commit({
  'a.ts': 'second\n',
  ...Object.fromEntries(
    Array.from({ length: 8 }, (_, file) => [`f${file}.ts`, `${randomBytes(150_000).toString('hex')}\n`]),
  ),
});

/** Indexes the first commit, then the second one as far as there is room, then with room. */
const program = `
  import { readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
  import { filesOf, readManifest } from '${module('../../src/backends/codesearch/embedded/format/manifest.ts')}';
  import { openCodeIndex } from '${module('../../src/backends/codesearch/embedded/open-embedded-code-search.ts')}';
  import { describeFailure } from '${module('../../src/features/repositories/failure.ts')}';
  import { indexedFiles } from '${module('../support/indexed-files.ts')}';
  import { indexRequest } from '${module('../support/index-request.ts')}';
  import { silentLog } from '${module('../support/silent-log.ts')}';
  const [root, gitDir, small, large, room] = process.argv.slice(1);
  const scope = { organizationId: 'org', orgSlug: 'org' };
  const index = openCodeIndex({ root, log: silentLog });
  const apply = (to) => index.apply(indexRequest({ scope, repository: 'repo', gitDir, to }), new AbortController().signal);
  await apply(small);
  const { bavail, bsize } = statfsSync(root);
  writeFileSync(root + '/ballast', Buffer.alloc(Math.max(0, bavail * bsize - Number(room))));
  const { error, permanent } = describeFailure(await apply(large).catch((fault) => fault));
  const folder = root + '/org/repo';
  const named = filesOf(readManifest(folder));
  const left = readdirSync(folder).filter((name) => !named.has(name) && name !== 'history');
  const answers = Object.fromEntries(Object.entries(indexedFiles(root, 'org')).map(([path, text]) => [path, text.slice(0, 20)]));
  rmSync(root + '/ballast');
  const again = await apply(large);
  console.log(JSON.stringify({ code: error.code, message: error.message, permanent, left, answers, files: again.files }));`;

async function run(root: string, room: number, ...command: string[]): Promise<unknown> {
  const node = ['--input-type=module', '-e', program, root, gitDir, small, large, String(room)];
  const [file, ...before] = [...command, process.execPath];
  const { stdout, stderr } = await promisify(execFile)(file ?? '', [...before, ...node], {
    env: { PATH: process.env['PATH'] }, // It is no part of this runner.
  });
  return stdout.trim() === '' ? stderr : JSON.parse(stdout);
}

it('a disk with room takes an index', async () => {
  const root = temporaryFolder();
  expect(await run(root, Number.MAX_SAFE_INTEGER)).toMatchObject({ left: [], files: 9 });
});

itWhen(canMount)(
  'a disk that fills while a repository is indexed: the record says so, the former index answers, the next try succeeds',
  async () => {
    const root = temporaryFolder();
    const mounted = (room: number): Promise<unknown> => {
      const script = 'mount -t tmpfs -o size=16m none "$1" && shift && exec "$@"';
      return run(root, room, 'unshare', ...own, script, 'sh', root);
    };
    // Room for the lock alone, for some of the text, for the text and not for its postings.
    for (const room of [4_096, 65_536, 1_000_000, 2_500_000]) {
      expect([room, await mounted(room)]).toEqual([
        room,
        {
          code: 'disk_full',
          message: expect.stringMatching(/disk .* is full\. Make room/) as string,
          permanent: false,
          left: [],
          answers: { 'a.ts': 'first\n' },
          files: 9,
        },
      ]);
    }
  },
  60_000,
);
