import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { mayUseSharedSshKey } from '../../src/features/githosts/shared-ssh-key.ts';
import { gitOf } from '../../src/features/mirror/commits/commit-run.ts';
import { cloneRepository } from '../../src/features/repositories/indexing/clone-repository.ts';
import { requireRepository } from '../../src/features/repositories/repository-store.ts';
import { addRepository } from '../../src/features/repositories/setup/add-repository.ts';
import type { Database } from '../../src/foundation/db/database.ts';
import type { GitDeps } from '../../src/foundation/git/process/git-deps.ts';
import { reachSource } from '../../src/foundation/git/remote/reach-source.ts';
import { parseSource } from '../../src/foundation/git/source/parse-source.ts';
import type { OrgScope } from '../../src/foundation/kernel/org-scope.ts';
import { manifestsOnly } from '../support/codesearch/manifests-only.ts';
import { seedOrganization } from '../support/codesearch/seeded-repositories.ts';
import { describeEachDatabase } from '../support/database/databases.ts';
import { jobContext } from '../support/jobs/job-context.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Nothing listens on this port: a run that gets as far as connecting fails to connect. */
const source = 'ssh://git@127.0.0.1:1/ours/private.git';
const allowHosts = ['127.0.0.1:1'];

describeEachDatabase('the ssh key of the operator', (open) => {
  let database: Database;
  let dataDir: string;
  let ours: OrgScope;
  beforeEach(async () => {
    database = await open();
    dataDir = temporaryFolder();
    await mkdir(join(dataDir, 'ssh'));
    await writeFile(join(dataDir, 'ssh', 'id_ed25519'), 'key');
    ours = await seedOrganization(database, 'ours');
  });

  const gitFor = (named: readonly string[]): GitDeps => ({
    dataDir,
    allowHosts,
    mayUseSharedSshKey: (id) => mayUseSharedSshKey(database.queries, named, id),
  });
  /** Adds the repository and returns the error of its clone. */
  const errorOf = async (scope: OrgScope, named: readonly string[]): Promise<string> => {
    const { queries } = database;
    const adding = { database, clock: Date.now, allowLocal: false, allowHosts, dataDir };
    const { id } = await addRepository(adding, scope, { kind: 'host' }, { source });
    const work = { database, codeIndex: manifestsOnly(), git: gitFor(named), clock: Date.now };
    const payload = { organizationId: scope.organizationId, repositoryId: id };
    await cloneRepository(work, payload, jobContext({ maxAttempts: 1 })).catch(() => undefined);
    return (await requireRepository(queries, scope, id)).error?.message ?? 'none';
  };
  const refusal = /SSH_KEY_ORGANIZATIONS/;

  it('is used for the only organization, and for none as soon as there is another', async () => {
    expect(await errorOf(ours, [])).toMatch(/could not be reached/);
    const theirs = await seedOrganization(database, 'theirs');
    expect(await errorOf(theirs, [])).toMatch(refusal);
    const found = await Promise.all([ours, theirs].map(({ organizationId }) => mayUse([], organizationId)));
    expect(found).toEqual([false, false]);
  });

  it('is used for the organizations that the operator names, and no other', async () => {
    const theirs = await seedOrganization(database, 'theirs');
    for (const named of [['ours'], ['else', ours.organizationId]]) {
      expect(await mayUse(named, ours.organizationId)).toBe(true);
      expect(await mayUse(named, theirs.organizationId)).toBe(false);
    }
    expect(await errorOf(ours, ['ours'])).toMatch(/could not be reached/);
    expect(await errorOf(theirs, ['ours'])).toMatch(refusal);
  });

  it('is not used for a context repository of another organization, nor without an organization', async () => {
    const theirs = await seedOrganization(database, 'theirs');
    const reach = (git: GitDeps) => reachSource(parseSource(source, { allowLocal: false, allowHosts }), git);
    const targetOf = ({ organizationId }: OrgScope) =>
      gitOf({
        deps: { git: gitFor(['ours']) },
        target: { organizationId, githostConnectionId: undefined },
      });
    expect(await reach(targetOf(ours))).toMatchObject({
      sshCommand: expect.stringContaining('id_ed25519') as string,
    });
    for (const git of [targetOf(theirs), gitFor(['ours']), { dataDir, allowHosts }]) {
      await expect(reach(git)).rejects.toThrow(refusal);
    }
    expect(await reach({ ...targetOf(theirs), sshIdentity: '/own' })).toMatchObject({
      sshCommand: expect.stringContaining('/own') as string,
    });
  });

  function mayUse(named: readonly string[], organizationId: OrgScope['organizationId']): Promise<boolean> {
    return mayUseSharedSshKey(database.queries, named, organizationId);
  }
});
