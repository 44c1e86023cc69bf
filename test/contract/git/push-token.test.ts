import { expect, it } from 'vitest';
import { addGithost } from '../../../src/features/githosts/add-githost.ts';
import { credentialsFor } from '../../../src/features/githosts/credentials.ts';
import { finishInstallation, installUrlOf } from '../../../src/features/githosts/install-githost.ts';
import type { MirrorTarget } from '../../../src/features/mirror/mirror-target.ts';
import { ensureTarget } from '../../../src/features/mirror/mirror-target-store.ts';
import { hostedTarget } from '../../../src/features/mirror/target-repository.ts';
import { startGithost } from '../../standins/githost/githost.ts';
import { seedOrganization } from '../../support/codesearch/seeded-repositories.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { testGithosts } from '../../support/git/test-githosts.ts';
import { openTestKeyring } from '../../support/http/http-server.ts';
import { mirrorDeps, presentTarget, queueFiles, runCommit } from '../../support/mirror/mirroring.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const { signal } = new AbortController();
const actor = { kind: 'host' } as const;

it('a mirror pushes with a token that reaches only its repository, as long as it may', async () => {
  await using githost = await startGithost({ flavour: 'github' });
  await using opened = new AsyncDisposableStack();
  const database = await openTestDatabase('sqlite');
  opened.defer(() => database.close());
  const allowHosts = [new URL(githost.origin).host];
  const deps = testGithosts(database, await openTestKeyring(database), { allowHosts });
  const acme = await seedOrganization(database, 'acme');
  const { app, privateKey } = githost.addApp();
  const fields = { url: githost.origin, appId: String(app.id), privateKey };
  const { id: added } = await addGithost(deps, acme, actor, { kind: 'github', fields }, signal);
  const state = new URL(await installUrlOf(deps, acme, actor, added, signal)).searchParams.get('state') ?? '';
  const installation = githost.install(app, 'octo-org');
  const installationId = String(installation.id);
  const connection = await finishInstallation(deps, { installationId, state }, signal);
  const context = githost.addRepository('octo-org/context', { files: { 'README.md': 'ours' } });
  const other = githost.addRepository('octo-org/other', { files: { 'README.md': 'theirs' } });

  const targetOf = async ({ id, fullName }: typeof context): Promise<MirrorTarget> => {
    const cloneUrl = `${githost.origin}/${fullName}.git`;
    const repository = hostedTarget({ cloneUrl, apiUrl: connection.apiUrl, id: String(id) }, { allowHosts });
    const wanted = { repository, branch: 'main', githostConnectionId: connection.id };
    return database.transaction((tx) => ensureTarget(tx, acme, wanted, 0));
  };
  const git = { dataDir: temporaryFolder(), allowHosts };
  const pushing = mirrorDeps(database, {
    git,
    credentials: (target) => credentialsFor(deps, { ...target, access: 'write' }, signal),
  });
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
  await expect(runCommit(borrowed, elsewhere.id)).rejects.toThrow();
  expect(other.bare.read('main', 'tracker/issues/ENG/ENG-1.md')).toBeUndefined();
  await runCommit(pushing, elsewhere.id);
  expect(other.bare.read('main', 'tracker/issues/ENG/ENG-1.md')?.toString()).toBe('mirrored');

  // A permission that is lost in the middle of a push ends it, and the change waits.
  other.beforePush = () => void (installation.permissions['contents'] = 'read');
  await queueFiles(database, elsewhere.id, { 'tracker/issues/ENG/ENG-1.md': 'changed' });
  await expect(runCommit(pushing, elsewhere.id)).rejects.toThrow();
  expect((await presentTarget(database, elsewhere.id)).error).toMatchObject({
    code: 'git_push_forbidden',
    permanent: true,
  });
  installation.permissions['contents'] = 'write';
  await runCommit(pushing, elsewhere.id);
  expect(other.bare.read('main', 'tracker/issues/ENG/ENG-1.md')?.toString()).toBe('changed');
});
