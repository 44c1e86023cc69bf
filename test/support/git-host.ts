import type { ContextRepositoryRequest } from '../../src/foundation/git/writing/context-repository.ts';
import { type GitHttpServer, startGitHttpServer } from '../standins/git-http-server.ts';
import { type HostedRepository, hostRepository, requestOf } from './context-writer.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A Git host over HTTP with a repository `owner/name.git`. Whoever opens it closes the server. */
export interface GitHost {
  /** The folder its repositories lie in. */
  readonly root: string;
  readonly server: GitHttpServer;
  readonly remote: HostedRepository;
  /** How a repository is reached, `remote` unless another is named, for a copy of its own. */
  readonly open: (options?: Partial<ContextRepositoryRequest>, path?: string) => ContextRepositoryRequest;
}

export async function openGitHost(files: Readonly<Record<string, string>>): Promise<GitHost> {
  const root = temporaryFolder();
  const server = await startGitHttpServer({ root });
  const remote = hostRepository(root, 'owner/name.git', files);
  return {
    root,
    server,
    remote,
    open: (options, path = 'owner/name.git') => requestOf(`${server.origin}/${path}`, options),
  };
}
