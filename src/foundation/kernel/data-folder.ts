import { join } from 'node:path';

/** The database of a deployment that names none: `DATABASE_URL` is resolved against DATA_DIR. */
export const defaultDatabaseFile = 'orgctx.db';

/** Where everything lies in DATA_DIR. What each is, and what its loss costs, the README tells the operator. */
export interface DataFolder {
  readonly authSecret: string;
  /** The service's own key and the host keys it met; the key is the operator's to put there. */
  readonly ssh: { readonly folder: string; readonly identity: string; readonly knownHosts: string };
  /** For Git, made where NODE_EXTRA_CA_CERTS is set. */
  readonly caBundle: { readonly folder: string; readonly file: string };
  /** For Git: the program that answers when a host asks for credentials. It holds none. */
  readonly askpass: string;
  /** Bare mirrors, a folder an organization. */
  readonly repositories: string;
  /** Copies of context repositories, which commits are written on: bare, a folder an organization. */
  readonly mirror: string;
  /** The embedded index. */
  readonly codesearch: string;
  /** Of `orgctx codesearch`, all that it has: nothing of a backend or worker on the same data folder. */
  readonly codesearchService: {
    readonly index: string;
    /** Bare mirrors of what it indexes, a folder an organization. */
    readonly repositories: string;
    /** What is being received. */
    readonly incoming: string;
  };
  /** What can be made again from repositories and mirrored files; on SQLite only. */
  readonly derivedDatabase: string;
  readonly logs: string;
}

export function dataFolder(dataDir: string): DataFolder {
  const [ssh, git] = [join(dataDir, 'ssh'), join(dataDir, 'git')];
  const service = join(dataDir, 'codesearch-service');
  return {
    authSecret: join(dataDir, 'auth-secret'),
    ssh: { folder: ssh, identity: join(ssh, 'id_ed25519'), knownHosts: join(ssh, 'known_hosts') },
    caBundle: { folder: git, file: join(git, 'ca.pem') },
    askpass: join(git, 'askpass'),
    repositories: join(dataDir, 'repositories'),
    mirror: join(dataDir, 'mirror'),
    codesearch: join(dataDir, 'codesearch'),
    codesearchService: {
      index: join(service, 'index'),
      repositories: join(service, 'repositories'),
      incoming: join(service, 'incoming'),
    },
    derivedDatabase: join(dataDir, 'graph.db'),
    logs: join(dataDir, 'logs'),
  };
}
