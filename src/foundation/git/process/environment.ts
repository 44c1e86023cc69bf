import type { ProxyRoute } from '../../kernel/outbound-proxy.ts';

/** The options of one Git process: its permitted transport and special settings. */
export interface GitProcess {
  /** GIT_ALLOW_PROTOCOL: the only transport, that of its source; absent for processes that read a mirror. */
  readonly protocol?: 'https' | 'http' | 'ssh' | 'file';
  /** Configuration in addition to that of every process; a key may repeat. */
  readonly config?: readonly (readonly [key: string, value: string])[];
  readonly sshCommand?: string;
  /** The proxy that `config` names; absent for a direct connection. */
  readonly proxy?: ProxyRoute;
  /** Environment variables in addition to those of every process. */
  readonly variables?: Readonly<Record<string, string>>;
}

/**
 * Search path for `git` and `ssh`. Fixed rather than the caller's PATH, because these processes handle untrusted
 * input.
 */
const searchPath = [
  '/usr/local/bin',
  '/usr/bin',
  '/bin',
  '/opt/homebrew/bin',
  '/opt/local/bin',
  '/run/current-system/sw/bin',
].join(':');

/**
 * Returns the complete environment of a Git process; nothing is inherited. No GIT_* variable, credential helper,
 * netrc, hook, proxy or configuration of the service's account is applied to a repository named by a tenant.
 */
export function gitEnvironment({
  protocol,
  config = [],
  sshCommand,
  variables = {},
}: GitProcess = {}): Record<string, string> {
  return {
    PATH: searchPath,
    // No home folder: netrc and XDG configuration would be read from it.
    HOME: '/dev/null',
    XDG_CONFIG_HOME: '/dev/null',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: protocol ?? 'none',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    // Maximum size of one allocation, which a host would otherwise determine: Git keeps a greeting in memory until
    // its end. Contents above 512 MiB are streamed (core.bigFileThreshold), so only tables of objects are larger: 64
    // bytes per object to receive a pack, 120 to create one here, and the largest histories have ten million objects.
    GIT_ALLOC_LIMIT: protocol === undefined || protocol === 'file' ? '2g' : '1g',
    // mallopt(3): Git allocates memory for each object that it packs, and glibc returned it to the kernel in between:
    // four system calls per object, more than half of the time of a large import.
    MALLOC_TRIM_THRESHOLD_: String(64 * 1024 ** 2),
    ...(sshCommand === undefined ? {} : { GIT_SSH_COMMAND: sshCommand, GIT_SSH_VARIANT: 'ssh' }),
    ...variables,
    ...configVariables([...commonConfig, ...config]),
  };
}

const commonConfig: readonly (readonly [string, string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  // A mirror is complete and durable when it is renamed to its path: packs, loose objects and refs are synced.
  ['core.fsync', 'all'],
  // Mirrors are accessible only to this account, regardless of its umask: files 0600 or 0400, folders 0700.
  ['core.sharedRepository', '0600'],
  ['credential.helper', ''],
  // Mirrors are trusted, even if another account restored them from a backup.
  ['safe.directory', '*'],
  // Histories with old malformed objects are common and must be accepted. Hashes and connectivity are always
  // verified; the additional checks of fsck protect a checkout, which never happens here.
  ['transfer.fsckObjects', 'false'],
  ['transfer.bundleURI', 'false'],
  // Readers may hold packs open, and commits that a force push replaced stay readable until the next clone.
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  // A pack is one file to sync, whereas each loose object is a separate file.
  ['fetch.unpackLimit', '1'],
  ['fastimport.unpackLimit', '1'],
  ['http.followRedirects', 'false'],
  ['http.sslVerify', 'true'],
];

/**
 * Passes configuration in the environment (git-config(1), GIT_CONFIG_COUNT), so that it is in no argument list and no
 * file.
 */
function configVariables(config: readonly (readonly [string, string])[]): Record<string, string> {
  const variables = config.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(config.length), ...Object.fromEntries(variables) };
}
