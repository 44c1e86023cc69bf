import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { itWhen } from '../../support/database/databases.ts';
import { createRepository } from '../../support/git/git-repository.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** True if the kernel lets a user mount a file system of its own (Linux user namespaces). */
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

/** Indexes the first commit, then the second one with limited space, then with enough space. */
const program = `
  import { readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
  import { filesOf, readManifest } from '${module('../../../src/backends/codesearch/embedded/format/manifest.ts')}';
  import { openTestIndex } from '${module('../../support/codesearch/open-test-index.ts')}';
  import { describeFailure } from '${module('../../../src/features/repositories/reconciling/failure.ts')}';
  import { indexedFiles } from '${module('../../support/codesearch/indexed-files.ts')}';
  import { indexRequest } from '${module('../../support/codesearch/index-request.ts')}';
  import { silentLog } from '${module('../../support/silent-log.ts')}';
  const [root, gitDir, small, large, room] = process.argv.slice(1);
  const scope = { organizationId: 'org', orgSlug: 'org' };
  const index = openTestIndex({ root, log: silentLog });
  const apply = (to) => index.apply(indexRequest({ scope, repository: 'repo', gitDir, to }), new AbortController().signal);
  await apply(small);
  const { bavail, bsize } = statfsSync(root);
  writeFileSync(root + '/ballast', Buffer.alloc(Math.max(0, bavail * bsize - Number(room))));
  const { error, permanent } = describeFailure(await apply(large).catch((thrown) => thrown));
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

it('a disk with enough space stores an index', async () => {
  const root = temporaryFolder();
  expect(await run(root, Number.MAX_SAFE_INTEGER)).toMatchObject({ left: [], files: 9 });
});

itWhen(canMount)(
  'a disk that fills during indexing is recorded as an error, the previous index keeps answering, and the next attempt succeeds',
  async () => {
    const root = temporaryFolder();
    const mounted = (room: number): Promise<unknown> => {
      const script = 'mount -t tmpfs -o size=16m none "$1" && shift && exec "$@"';
      return run(root, room, 'unshare', ...own, script, 'sh', root);
    };
    // Space for the lock only, for part of the text, and for the text without its postings.
    for (const room of [4_096, 65_536, 1_000_000, 2_500_000]) {
      expect([room, await mounted(room)]).toEqual([
        room,
        {
          code: 'disk_full',
          message: expect.stringMatching(/disk .* is full\. Free some space/) as string,
          permanent: false,
          left: [],
          answers: { 'a.ts': 'first\n' },
          files: 9,
        },
      ]);
    }
  },
);
