import { mayUseSharedSshKey } from '../../features/githosts/shared-ssh-key.ts';
import type { Queries } from '../../foundation/db/database.ts';
import type { GitDeps } from '../../foundation/git/process/git-deps.ts';
import { writeCaBundle } from '../../foundation/git/remote/ca-bundle.ts';
import type { Settings } from './open-database.ts';

/** Makes Git trust what this process trusts: NODE_EXTRA_CA_CERTS reaches it as a file. */
export async function openGit({ config, secrets }: Settings, queries: Queries): Promise<GitDeps> {
  const { dataDir, outbound, repositories } = config;
  const caFile = await writeCaBundle(dataDir);
  return {
    dataDir,
    allowHosts: outbound.allowHosts,
    proxies: secrets.proxies,
    mayUseSharedSshKey: (organizationId) =>
      mayUseSharedSshKey(queries, repositories.sshKeyOrganizations, organizationId),
    ...(caFile === undefined ? {} : { caFile }),
  };
}
