import { basename, dirname, join } from 'node:path';

/** Name of the default database file. A relative path in `DATABASE_URL` is resolved against DATA_DIR. */
export const defaultDatabaseFile = 'orgctx.db';

/** The paths of everything in DATA_DIR. docs/deployment.md describes each, and what its loss costs. */
export interface DataFolder {
  readonly authSecret: string;
  /** The service's SSH key and the known host keys. The operator installs the key. */
  readonly ssh: { readonly folder: string; readonly identity: string; readonly knownHosts: string };
  /** CA certificates for Git, written when NODE_EXTRA_CA_CERTS is set. */
  readonly caBundle: { readonly folder: string; readonly file: string };
  /** The program that passes credentials to Git when a host requires them. The file holds none. */
  readonly askpass: string;
  /** Bare mirrors of repositories, one folder per organization. */
  readonly repositories: string;
  /** Bare copies of context repositories, on which commits are written; one folder per organization. */
  readonly mirror: string;
  /** Copies of context repositories from which a configuration is proposed, each only while that runs. */
  readonly proposals: string;
  /** The index of the embedded code search. */
  readonly codesearch: string;
  /** All data of `orgctx codesearch`, which may share its data folder with a backend or worker. */
  readonly codesearchService: {
    readonly index: string;
    /** Bare mirrors of the indexed repositories, one folder per organization. */
    readonly repositories: string;
    /** Bundles that are being received. */
    readonly incoming: string;
  };
  readonly logs: string;
  /** Locked by the server while it runs (SQLite only). */
  readonly serverLock: string;
  /** Process id and addresses of the running server, for commands on the same host. */
  readonly server: string;
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
    proposals: join(dataDir, 'proposals'),
    codesearch: join(dataDir, 'codesearch'),
    codesearchService: {
      index: join(service, 'index'),
      repositories: join(service, 'repositories'),
      incoming: join(service, 'incoming'),
    },
    logs: join(dataDir, 'logs'),
    serverLock: join(dataDir, 'server.lock'),
    server: join(dataDir, 'server.json'),
  };
}

/**
 * Returns the SQLite file of data that can be rebuilt from repositories and mirrored files. It lies next to the
 * database, because processes that share only the database read it too. Two databases in one folder have different
 * files.
 */
export function derivedDatabaseOf(databaseFile: string): string {
  const name = basename(databaseFile);
  return join(dirname(databaseFile), name === defaultDatabaseFile ? 'graph.db' : `${name}.graph`);
}
