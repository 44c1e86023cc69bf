import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startGitHttpServer } from '../../standins/git-http-server.ts';
import { seedOrganization } from '../../support/codesearch/seeded-repositories.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { createRemote } from '../../support/mirror/mirror-remote.ts';
import { mirrorDeps, queueFiles, runCommit, targetFor } from '../../support/mirror/mirroring.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

it('a push that arrives after its worker has stopped does not bring back content that was taken back meanwhile', async () => {
  const root = temporaryFolder();
  const remote = createRemote(root);
  const former = remote.commitByHand({ 'README.md': 'by hand' });
  const host = await startGitHttpServer({ root });
  const database = await openTestDatabase('sqlite');
  const allowHosts = [`127.0.0.1:${host.port}`];
  const deps = mirrorDeps(database, { git: { dataDir: temporaryFolder(), allowHosts } });
  const scope = await seedOrganization(database, 'acme');
  const { id } = await targetFor(database, scope, `${host.origin}/context.git`, { allowHosts });
  const until = join(root, 'go-on');
  const ended = new Promise<void>((resolve) => {
    host.behaviour = { kind: 'late', until, ended: resolve };
  });
  await queueFiles(database, id, { 'tracker/issues/ENG/ENG-1.md': 'created' });
  await expect(runCommit(deps, id)).rejects.toThrow();
  expect(remote.git('rev-parse', 'main').trim()).toBe(former);

  host.behaviour = { kind: 'well' };
  await queueFiles(database, id, { 'tracker/issues/ENG/ENG-1.md': null });
  await runCommit(deps, id);
  writeFileSync(until, '');
  await ended;
  expect(remote.files()).toEqual({ 'README.md': 'by hand' });

  // Later writes behave as before: there is no commit without a change.
  const commits = remote.history().length;
  await queueFiles(database, id, { 'tracker/issues/ENG/ENG-1.md': null });
  await runCommit(deps, id);
  expect(remote.history()).toHaveLength(commits);
  await database.close();
  await host.close();
});
