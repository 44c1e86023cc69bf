import { beforeEach, expect, it } from 'vitest';
import { indexStatus } from '../../../../test/support/codesearch/index-request.ts';
import { describeEachDatabase } from '../../../../test/support/database/databases.ts';
import { createRepository, type TestRepository } from '../../../../test/support/git/git-repository.ts';
import { jobContext } from '../../../../test/support/jobs/job-context.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import type { CodeIndex, IndexStatus } from '../../../backends/codesearch/port.ts';
import { mirroredBranches } from '../../../foundation/git/mirror/mirrored-branches.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { admitUser } from '../../identity/people/admit-user.ts';
import type { WorkDeps } from '../reconciling/repository-work.ts';
import type { Repository } from '../repository.ts';
import { requireRepository } from '../repository-store.ts';
import { addRepository } from '../setup/add-repository.ts';
import { cloneRepository } from './clone-repository.ts';
import { indexRepository } from './index-repository.ts';
import { mirrorPath } from './mirror-path.ts';

/** A code index that stores only manifests of the indexed repositories. */
function manifestsOnly(): CodeIndex {
  const manifests = new Map<string, IndexStatus>();
  const apply: CodeIndex['apply'] = async ({ repository, branches }) => {
    const generation = (manifests.get(repository.id)?.generation ?? 0) + 1;
    const [{ commit }] = branches;
    const status = indexStatus({ generation, commit, branches, skipped: { binary: 1 } });
    manifests.set(repository.id, status);
    return status;
  };
  return {
    apply,
    define: apply,
    compact: apply,
    remove: async (_scope, repository) => void manifests.delete(repository),
    status: async (_scope, repository) => manifests.get(repository),
    isDamaged: async () => false,
  };
}

describeEachDatabase('further branches of a repository', (open) => {
  let deps: WorkDeps;
  let scope: OrgScope;
  let source: TestRepository;

  beforeEach(async () => {
    const [database, clock] = [await open(), () => 1_800_000_000_000];
    deps = {
      database,
      clock,
      codeIndex: manifestsOnly(),
      git: { dataDir: temporaryFolder(), allowHosts: [] },
    };
    const admitted = await admitUser(deps, { email: 'ada@example.com', orgSlug: 'acme' });
    scope = { organizationId: admitted.organization.id, orgSlug: 'acme' };
    source = createRepository({ 'a.txt': 'a' });
  });

  const add = (branches: readonly string[]): Promise<Repository> =>
    addRepository(
      { ...deps, ...deps.git, allowLocal: true },
      scope,
      { kind: 'host' },
      { source: source.folder, branches },
    );
  const sync = async ({ id }: Repository): Promise<Repository> => {
    const payload = { organizationId: scope.organizationId, repositoryId: id };
    const context = jobContext();
    await cloneRepository(deps, payload, context);
    await indexRepository(deps, payload, context);
    return requireRepository(deps.database.queries, scope, id);
  };

  it('are mirrored, and the record counts the requested branches that do not exist', async () => {
    source.git('branch', 'release/1');
    const repository = await add(['release/*', 'absent']);
    expect((await sync(repository)).skipped).toEqual({ binary: 1, branch_not_found: 1 });
    const commit = source.git('rev-parse', 'HEAD');
    expect(await mirroredBranches(mirrorPath(deps.git.dataDir, scope, repository.id))).toEqual([
      { name: 'main', commit },
      { name: 'release/1', commit },
    ]);
    source.git('branch', 'absent');
    expect((await sync(repository)).skipped).toEqual({ binary: 1 });
  });
});
