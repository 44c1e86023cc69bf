/** Of one Git process: which transports it may use and what is special about it. */
export interface GitProcess {
  /** GIT_ALLOW_PROTOCOL: the one transport of its source; nothing for processes that read a mirror. */
  readonly protocol?: 'https' | 'http' | 'ssh' | 'file';
  /** Configuration beside what every process gets; a key may repeat. */
  readonly config?: readonly (readonly [key: string, value: string])[];
  readonly sshCommand?: string;
  /** Beside what every process gets. */
  readonly variables?: Readonly<Record<string, string>>;
}

/**
 * Where `git` and `ssh` are looked for. Fixed, and not the caller's PATH: these processes handle what strangers wrote.
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
 * The whole environment of a Git process; nothing is inherited. So no GIT_* variable, credential helper, netrc, hook,
 * proxy or configuration of the account that runs the service reaches a repository that some tenant named.
 */
export function gitEnvironment({
  protocol,
  config = [],
  sshCommand,
  variables = {},
}: GitProcess = {}): Record<string, string> {
  return {
    PATH: searchPath,
    // No home: netrc and XDG configuration would be read from there.
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
    // The most that is allocated at once, which a host would otherwise decide: Git keeps a greeting in memory until its
    // end. Contents above 512 MiB are streamed (core.bigFileThreshold), so what is larger are tables of objects: 64
    // bytes each to receive a pack, 120 to make one here, and the largest histories have ten million.
    GIT_ALLOC_LIMIT: protocol === undefined || protocol === 'file' ? '2g' : '1g',
    // mallopt(3): Git allocates for each object that it packs, and glibc gave the memory back in between: four calls of
    // the kernel an object, more than half of the time of a large import.
    MALLOC_TRIM_THRESHOLD_: String(64 * 1024 ** 2),
    ...(sshCommand === undefined ? {} : { GIT_SSH_COMMAND: sshCommand, GIT_SSH_VARIANT: 'ssh' }),
    ...variables,
    ...configVariables([...everywhere, ...config]),
  };
}

const everywhere: readonly (readonly [string, string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  // A mirror is complete and durable when it gets its name: packs, loose objects and refs are synced.
  ['core.fsync', 'all'],
  // What is in a mirror is for this account alone, whatever its umask: files 0600 or 0400, folders 0700.
  ['core.sharedRepository', '0600'],
  ['credential.helper', ''],
  // Mirrors are ours, whichever account restored them from a backup.
  ['safe.directory', '*'],
  // Histories with old malformed objects are common and must clone. Hashes and connectivity are always verified, and
  // what fsck guards against on top is a checkout, which never happens here.
  ['transfer.fsckObjects', 'false'],
  ['transfer.bundleURI', 'false'],
  // Readers may hold packs open, and commits that a force push left behind stay readable until the next clone.
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  // A pack is one file to sync; loose objects are one each.
  ['fetch.unpackLimit', '1'],
  ['fastimport.unpackLimit', '1'],
  ['http.followRedirects', 'false'],
  ['http.sslVerify', 'true'],
];

/** git-config(1), GIT_CONFIG_COUNT: configuration that is in no argument list and no file. */
function configVariables(config: readonly (readonly [string, string])[]): Record<string, string> {
  const variables = config.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(config.length), ...Object.fromEntries(variables) };
}
