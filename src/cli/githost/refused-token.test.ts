import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { startGithost } from '../../../test/standins/githost/githost.ts';
import { seedRepository } from '../../../test/support/codesearch/seeded-repositories.ts';
import { openTestDatabase } from '../../../test/support/database/databases.ts';
import { testGithosts } from '../../../test/support/git/test-githosts.ts';
import { openTestHttp, openTestKeyring } from '../../../test/support/http/http-server.ts';
import { runCli } from '../../../test/support/program/command-line.ts';
import { shellWords } from '../../../test/support/run/readme.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { checkGithost } from '../../features/githosts/check-githost.ts';
import { listGithosts } from '../../features/githosts/githost-store.ts';
import { openSourceGate } from '../../features/githosts/source-access.ts';
import { findOrganization } from '../../features/identity/people/organization-store.ts';
import { readSourceTips } from '../../foundation/git/mirror/mirror.ts';
import { defaultMirrorLimits } from '../../foundation/git/mirror/mirror-limits.ts';
import { parseSource } from '../../foundation/git/source/parse-source.ts';

const { signal } = new AbortController();
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A service with a connection of a kind, whose port no setting names, and a repository that waits for it. */
async function openConnected(kind: 'gitea' | 'https', name: string) {
  const host = await startGithost({ flavour: 'gitea' });
  const database = await openTestDatabase('sqlite');
  const allowHosts = [new URL(host.origin).host];
  const githosts = { ...testGithosts(database, await openTestKeyring(database), { allowHosts }) };
  const http = await openTestHttp(database, { githosts });
  closing.push(
    () => host.close(),
    () => database.close(),
    () => http.server.close(),
  );
  await http.server.listen({ host: '127.0.0.1', port: 0 });
  const baseUrl = `http://127.0.0.1:${(http.server.server.address() as AddressInfo).port}`;
  githosts.baseUrl = baseUrl;
  const acme = await findOrganization(database.queries, 'acme');
  if (acme === undefined) throw new Error('acme is missing');
  const scope = { organizationId: acme.id, orgSlug: 'acme' };
  const user = host.addUser('bot', 'hushed-first');
  host.addRepository('bot/app', { files: { 'a.txt': 'a' } }).access.set('bot', 'read');
  const env = { ORGCTX_API_KEY: http.keys.admin, ORGCTX_ORG: 'acme' };
  const type = (words: readonly string[], typed?: string) =>
    runCli(words, { env, ...(typed !== undefined && { typed }) });
  const file = join(temporaryFolder(), 'token');
  writeFileSync(file, 'hushed-first');
  const add = ['githost', 'add', kind, '--name', name, '--host-url', host.origin, '--token-file', file];
  const added = await type([...add, ...(kind === 'https' ? ['--user', 'bot'] : []), '--url', baseUrl]);
  expect([added.code, added.stderr]).toEqual([0, '']);
  const connection = async () => {
    const [found] = (await listGithosts(database.queries, scope)).items;
    if (found === undefined) throw new Error('the connection is missing');
    return found;
  };
  const { id } = await connection();
  const waiting = await seedRepository(database, scope, { name: 'waiting' });
  const error = JSON.stringify({ code: 'git_authentication', message: 'refused' });
  await database.queries.updateTable('repositories').set({ githost_connection_id: id, error }).execute();
  const git = { dataDir: temporaryFolder(), allowHosts };
  const source = `${host.origin}/bot/app.git`;
  const read = () =>
    openSourceGate(githosts, git).enter(
      {
        organizationId: scope.organizationId,
        githostConnectionId: id,
        hostRepositoryId: undefined,
        source,
        sourceKind: 'https',
        access: 'read',
      },
      signal,
      ({ git: deps, credentials }) =>
        readSourceTips(
          {
            source: parseSource(source, { allowLocal: false, allowHosts }),
            branches: [],
            credentials,
            limits: defaultMirrorLimits,
            signal,
            deps: { ...deps, organizationId: scope.organizationId },
          },
          git.dataDir,
        ),
    );
  const replaceToken = () => {
    user.tokens.delete('hushed-first');
    host.addUser('bot', 'hushed-second').tokens.delete('hushed-first');
  };
  return { baseUrl, connection, database, githosts, read, replaceToken, type, waiting };
}

it.each([
  ['gitea', 'gitea'],
  ['https', 'our host'],
] as const)(
  'a refused token of the kind %s is shown at once, and the printed command ends it',
  async (kind, name) => {
    const { baseUrl, connection, database, githosts, read, replaceToken, type, waiting } =
      await openConnected(kind, name);
    await read();
    replaceToken();
    const error = await read().catch((refusal: unknown) => refusal);

    const failed = await connection();
    expect(failed).toMatchObject({ state: 'failed', error: { message: (error as Error).message } });
    // A check cannot make it look well again while the host has not accepted anything.
    await checkGithost(githosts, failed, signal);
    const shown = await type(['githost', 'status', failed.id, '--url', baseUrl]);
    const command = /"orgctx (githost set [^"]+)"/.exec(shown.stdout)?.[1] ?? '';
    expect(command).toContain(`--url ${baseUrl}`);

    const typed = await type(shellWords(command), 'hushed-second');
    expect([typed.code, typed.stderr]).toEqual([0, '']);
    expect(await connection()).toMatchObject({ state: 'connected', error: undefined });
    const jobs = await database.queries.selectFrom('jobs').select(['task', 'key']).execute();
    expect(jobs).toEqual([{ task: 'repository-clone', key: waiting }]);
    await read();
    expect(shown.stdout + typed.stdout).not.toContain('hushed');
  },
);
