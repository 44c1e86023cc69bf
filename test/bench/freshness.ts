import { execFileSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startService } from '../../src/app/serve.ts';
import { startWorker } from '../../src/app/worker.ts';
import { createApiKey } from '../../src/features/identity/api-keys/create-api-key.ts';
import { admitUser } from '../../src/features/identity/people/admit-user.ts';
import { addRepository } from '../../src/features/repositories/add-repository.ts';
import { mirrorPath } from '../../src/features/repositories/mirror-path.ts';
import { getRepository } from '../../src/features/repositories/repository-store.ts';
import { syncRepository } from '../../src/features/repositories/sync-repository.ts';
import { loadConfig } from '../../src/foundation/config/load-config.ts';
import { mirroredRef } from '../../src/foundation/git/mirrored-branches.ts';
import { systemClock as clock } from '../../src/foundation/kernel/clock.ts';
import type { OrgScope } from '../../src/foundation/kernel/org-scope.ts';
import { silentLog } from '../support/silent-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { percentile } from './statistics.ts';

/**
 * `node test/bench/freshness.ts [--rounds N] [--files N] REPOSITORY…`: pushes of one to N files (50), to a copy of each
 * repository, and how long it takes from the end of the fetch (the time on the mirror's ref) until GET /search gives
 * the pushed word. Server and worker run in this process, as they do in production, over real HTTP; the copy is a folder.
 */
const bars = { mustMs: 500, goalMs: 300 };
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '40' }, files: { type: 'string', default: '50' } },
});
const [rounds, most] = [Number(values.rounds), Number(values.files)];
if (positionals.length === 0) throw new Error('usage: freshness.ts [--rounds N] [--files N] REPOSITORY…');

for (const repository of positionals) {
  const times = await measure(resolve(repository));
  const [p50, p95] = [percentile(times, 0.5), percentile(times, 0.95)];
  const verdict = p95 <= bars.goalMs ? 'goal' : p95 <= bars.mustMs ? 'must' : 'over';
  console.log(
    `${repository}: ${times.length} pushes, p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms (${verdict})`,
  );
}

async function measure(repository: string): Promise<readonly number[]> {
  await using opened = new AsyncDisposableStack();
  const dataDir = temporaryFolder();
  const env = {
    DATA_DIR: dataDir,
    AUTH_SECRET: 'x'.repeat(40),
    ALLOW_LOCAL_REPOSITORIES: 'true',
    LOG_LEVEL: 'error',
  };
  const settings = loadConfig({ env, flags: { PORT: '0' }, cwd: dataDir, homeDir: dataDir });
  const service = await startService(settings, silentLog);
  opened.defer(() => service.stop());
  const worker = await startWorker(settings, silentLog);
  opened.defer(() => worker.stop(1_000));
  const { database } = service;
  const admitted = await admitUser({ database, clock }, { email: 'ada@example.com', orgSlug: 'acme' });
  const scope: OrgScope = { organizationId: admitted.organization.id, orgSlug: 'acme' };
  const key = await createApiKey(database.queries, { userId: admitted.user.id, name: 'bench' }, clock);
  const source = copyOf(repository);
  const deps = { database, clock, allowLocal: true, allowHosts: [], dataDir };
  const { id } = await addRepository(deps, scope, { source: source.folder });
  const isIndexed = async (): Promise<boolean> => {
    const row = await getRepository(database.queries, scope, id);
    if (row?.state === 'failed') throw new Error(row.error?.message);
    return row?.state === 'indexed';
  };
  while (!(await isIndexed())) await sleep(50);
  const ref = join(mirrorPath(dataDir, scope, id), mirroredRef);
  const isFound = async (word: string): Promise<boolean> => {
    const url = `${service.config.baseUrl}/acme/api/v1/search?limit=1&q=${word}`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${key.apiKey}` } });
    const answer = (await response.json()) as { items?: unknown[] };
    if (answer.items === undefined) throw new Error(JSON.stringify(answer));
    return answer.items.length > 0;
  };
  const times: number[] = [];
  await isFound('warm');
  for (let round = 0; round < rounds; round++) {
    const word = `pushed${round}word${process.pid}`;
    source.push(word, 1 + ((round * 7) % most));
    await syncRepository({ database, clock }, scope, id);
    while (!(await isFound(word))) await sleep(2);
    times.push(Date.now() - statSync(ref).mtimeMs);
    while (!(await isIndexed())) await sleep(10);
  }
  return times;
}

/** A bare repository that begins with the files of another, whose objects it shares, and commits on it that change files all over the tree. */
function copyOf(repository: string): { folder: string; push(word: string, files: number): void } {
  const folder = join(temporaryFolder(), 'source.git');
  const identity = { GIT_AUTHOR_NAME: 'Bench', GIT_AUTHOR_EMAIL: 'bench@example.com' };
  const committer = { GIT_COMMITTER_NAME: 'Bench', GIT_COMMITTER_EMAIL: 'bench@example.com' };
  const env = { PATH: process.env['PATH'], GIT_INDEX_FILE: `${folder}.index`, ...identity, ...committer };
  const git = (input: string, ...args: string[]): string =>
    execFileSync('git', args, { cwd: folder, env, input, encoding: 'utf8', maxBuffer: 2 ** 28 }).trim();
  const of = (...args: string[]): string =>
    execFileSync('git', ['-C', repository, ...args], { encoding: 'utf8' }).trim();
  execFileSync('git', ['init', '--quiet', '--bare', folder]);
  writeFileSync(
    join(folder, 'objects/info/alternates'),
    `${resolve(repository, of('rev-parse', '--git-path', 'objects'))}\n`,
  );
  git('', 'update-ref', 'HEAD', git('', 'commit-tree', of('rev-parse', 'HEAD^{tree}'), '-m', 'Start'));
  git('', 'read-tree', 'HEAD');
  const paths = git('', 'ls-files')
    .split('\n')
    .filter((path) => path.endsWith('.go') || path.endsWith('.ts'));
  return {
    folder,
    push: (word, files) => {
      const blob = (at: number): string =>
        git(`// ${word} ${at}\nconst x = ${at};\n`.repeat(100), 'hash-object', '-w', '--stdin');
      const changed = Array.from({ length: files }, (_, at) => {
        const path = paths[(at * 7919 + word.length * files) % paths.length] ?? `new${at}.ts`;
        return `100644 ${blob(at)}\t${path}`;
      });
      git(changed.join('\n'), 'update-index', '--add', '--index-info');
      const commit = git('', 'commit-tree', git('', 'write-tree'), '-p', 'HEAD', '-m', word);
      git('', 'update-ref', 'HEAD', commit);
    },
  };
}
