import { expect, it } from 'vitest';
import { addGithost } from '../../../src/features/githosts/add-githost.ts';
import { checkGithost } from '../../../src/features/githosts/check-githost.ts';
import { credentialsFor } from '../../../src/features/githosts/credentials.ts';
import { findGithost } from '../../../src/features/githosts/githost-store.ts';
import { finishInstallation, installUrlOf } from '../../../src/features/githosts/install-githost.ts';
import { recordGitRefusal } from '../../../src/features/githosts/record-check.ts';
import type { MirrorTarget } from '../../../src/features/mirror/mirror-target.ts';
import { ensureTarget } from '../../../src/features/mirror/mirror-target-store.ts';
import { hostedTarget } from '../../../src/features/mirror/repository-key.ts';
import { type HostedRepository, startGithost } from '../../standins/githost/githost.ts';
import { seedOrganization } from '../../support/codesearch/seeded-repositories.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { testGithosts } from '../../support/git/test-githosts.ts';
import { openTestKeyring } from '../../support/http/http-server.ts';
import { mirrorDeps, presentTarget, queueFiles, runCommit } from '../../support/mirror/mirroring.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const { signal } = new AbortController();
const actor = { kind: 'host' } as const;

/** An organization that mirrors into repositories of an installed App. */
async function openApp() {
  const opened = new AsyncDisposableStack();
  const githost = opened.use(await startGithost({ flavour: 'github' }));
  const database = await openTestDatabase('sqlite');
  opened.defer(() => database.close());
  const allowHosts = [new URL(githost.origin).host];
  let skewMs = 0;
  const clock = () => Date.now() + skewMs;
  const deps = testGithosts(database, await openTestKeyring(database), { allowHosts, clock });
  const acme = await seedOrganization(database, 'acme');
  const { app, privateKey } = githost.addApp();
  const fields = { url: githost.origin, appId: String(app.id), privateKey };
  const { id: added } = await addGithost(deps, acme, actor, { kind: 'github', fields }, signal);
  const state = new URL(await installUrlOf(deps, acme, actor, added, signal)).searchParams.get('state') ?? '';
  const installation = githost.install(app, 'octo-org');
  const installationId = String(installation.id);
  const connection = await finishInstallation(deps, { installationId, state }, signal);

  const targetOf = async ({ id, fullName }: HostedRepository): Promise<MirrorTarget> => {
    const cloneUrl = `${githost.origin}/${fullName}.git`;
    const repository = hostedTarget({ cloneUrl, apiUrl: connection.apiUrl, id: String(id) }, { allowHosts });
    const wanted = { repository, branch: 'main', githostConnectionId: connection.id };
    return database.transaction((tx) => ensureTarget(tx, acme, wanted, 0));
  };
  const git = { dataDir: temporaryFolder(), allowHosts };
  const pushing = mirrorDeps(database, {
    git,
    credentials: (target, _signal, refused) =>
      credentialsFor(deps, { ...target, access: 'write', refused }, signal),
    refused: (target, error) => recordGitRefusal(deps, target, error, signal),
  });
  return {
    githost,
    database,
    deps,
    connection,
    installation,
    targetOf,
    pushing,
    /** Moves the clock of this service, not that of the host. */
    advance: (ms: number) => void (skewMs += ms),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const path = 'tracker/issues/ENG/ENG-1.md';

it('a mirror pushes with a token that reaches only its repository, as long as it may', async () => {
  await using opened = await openApp();
  const { githost, database, installation, targetOf, pushing } = opened;
  const context = githost.addRepository('octo-org/context', { files: { 'README.md': 'ours' } });
  const other = githost.addRepository('octo-org/other', { files: { 'README.md': 'theirs' } });
  const target = await targetOf(context);
  await queueFiles(database, target.id, { 'tracker/issues/ENG/ENG-1.md': 'mirrored' });
  await runCommit(pushing, target.id);
  expect(context.bare.read('main', 'tracker/issues/ENG/ENG-1.md')?.toString()).toBe('mirrored');
  const writing = [...githost.model.tokens.values()].filter(
    ({ permissions }) => permissions['contents'] === 'write',
  );
  expect(writing.map(({ repositoryIds }) => repositoryIds)).toEqual([[context.id]]);

  // The host refuses the same token for another repository of the same installation.
  const elsewhere = await targetOf(other);
  await queueFiles(database, elsewhere.id, { 'tracker/issues/ENG/ENG-1.md': 'mirrored' });
  const borrowed = { ...pushing, credentials: () => pushing.credentials(target, signal) };
  await runCommit(borrowed, elsewhere.id);
  expect(other.bare.read('main', 'tracker/issues/ENG/ENG-1.md')).toBeUndefined();
  await runCommit(pushing, elsewhere.id);
  expect(other.bare.read('main', 'tracker/issues/ENG/ENG-1.md')?.toString()).toBe('mirrored');

  // A permission that is lost in the middle of a push ends it, and the change waits.
  other.beforePush = () => void (installation.permissions['contents'] = 'read');
  await queueFiles(database, elsewhere.id, { 'tracker/issues/ENG/ENG-1.md': 'changed' });
  await runCommit(pushing, elsewhere.id);
  expect((await presentTarget(database, elsewhere.id)).error).toMatchObject({
    code: 'git_push_forbidden',
    permanent: true,
  });
  installation.permissions['contents'] = 'write';
  await runCommit(pushing, elsewhere.id);
  expect(other.bare.read('main', 'tracker/issues/ENG/ENG-1.md')?.toString()).toBe('changed');
});

it('a token that the host refuses to Git is fetched anew once, like one that it refuses to its API', async () => {
  await using opened = await openApp();
  const { githost, database, targetOf, pushing } = opened;
  const repository = githost.addRepository('octo-org/context', { files: { 'README.md': 'ours' } });
  const target = await targetOf(repository);
  for (const text of ['1', '2', '3']) {
    await queueFiles(database, target.id, { [path]: text });
    await runCommit(pushing, target.id);
    expect(repository.bare.read('main', path)?.toString()).toBe(text);
    expect((await presentTarget(database, target.id)).error).toBeUndefined();
    // The host revokes all tokens. This service believes that they are valid for an hour.
    githost.model.tokens.clear();
  }
});

it('commits wait while an installation is suspended, and go on once it is resumed', async () => {
  await using opened = await openApp();
  const { githost, database, installation, targetOf, pushing, deps, connection } = opened;
  const repository = githost.addRepository('octo-org/context', { files: { 'README.md': 'ours' } });
  const target = await targetOf(repository);
  await queueFiles(database, target.id, { [path]: '1' });
  await runCommit(pushing, target.id);
  installation.suspended = true;
  await queueFiles(database, target.id, { [path]: '2' });
  for (const failures of [1, 2]) {
    await runCommit(pushing, target.id);
    const { error } = await presentTarget(database, target.id);
    expect(error).toMatchObject({ code: 'git_authentication', failures, retryAt: expect.any(Number) });
    expect(error?.message).toContain('suspended');
  }
  const jobs = await database.queries.selectFrom('jobs').select(['task', 'state']).execute();
  expect(jobs).toEqual([{ task: 'mirror-commit', state: 'ready' }]);
  installation.suspended = false;
  await runCommit(pushing, target.id);
  expect(repository.bare.read('main', path)?.toString()).toBe('2');
  expect((await presentTarget(database, target.id)).error).toBeUndefined();
  const found = await findGithost(database.queries, connection, connection.id);
  if (found !== undefined) await checkGithost(deps, found, signal);
  expect(await findGithost(database.queries, connection, connection.id)).toMatchObject({
    state: 'connected',
  });
});

it.each([-10, 10])('a clock that is %i minutes off costs no commit', async (minutes) => {
  await using opened = await openApp();
  const { githost, database, targetOf, pushing, advance } = opened;
  const repository = githost.addRepository('octo-org/context', { files: { 'README.md': 'ours' } });
  const target = await targetOf(repository);
  advance(minutes * 60_000);
  // The host's hour ends while this service believes that the token is valid, or before.
  for (const hostMinutes of [0, 55, 61]) {
    githost.advance(hostMinutes * 60_000);
    advance(hostMinutes * 60_000);
    await queueFiles(database, target.id, { [path]: `${hostMinutes}` });
    await runCommit(pushing, target.id);
    expect(repository.bare.read('main', path)?.toString()).toBe(`${hostMinutes}`);
  }
});

it('a host that refuses only its API still takes commits, with the token of before', async () => {
  await using opened = await openApp();
  const { githost, database, targetOf, pushing } = opened;
  const repository = githost.addRepository('octo-org/context', { files: { 'README.md': 'ours' } });
  const target = await targetOf(repository);
  await queueFiles(database, target.id, { [path]: '1' });
  await runCommit(pushing, target.id);
  githost.failures.push({ reply: { status: 401 }, times: Number.POSITIVE_INFINITY });
  await queueFiles(database, target.id, { [path]: '2' });
  await runCommit(pushing, target.id);
  expect(repository.bare.read('main', path)?.toString()).toBe('2');
});
