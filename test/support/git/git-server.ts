import type { ContextRepositoryRequest } from '../../../src/foundation/git/writing/context-repository.ts';
import { type GitHttpServer, startGitHttpServer } from '../../standins/git-http-server.ts';
import { type HostedRepository, hostRepository, requestOf } from '../mirror/context-writer.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** A Git host over HTTP with a repository `owner/name.git`. The caller must close the server. */
export interface GitServer {
  /** Folder of its repositories. */
  readonly root: string;
  readonly server: GitHttpServer;
  readonly remote: HostedRepository;
  /** Returns a request for a fresh local copy of a repository. Default: `remote`. */
  readonly open: (options?: Partial<ContextRepositoryRequest>, path?: string) => ContextRepositoryRequest;
}

export async function openGitServer(files: Readonly<Record<string, string>>): Promise<GitServer> {
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
