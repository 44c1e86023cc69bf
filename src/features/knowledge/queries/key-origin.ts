/** Returns the id of the repository whose code or history the key names. */
export function repositoryOfKey(key: string): string | undefined {
  return /^(?:repo|file|symbol|commit|pr):([^:]+)/.exec(key)?.[1];
}
