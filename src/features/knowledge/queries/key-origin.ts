/** Returns the id of the repository whose code or history the key names. */
export function repositoryOfKey(key: string): string | undefined {
  return /^(?:repo|file|symbol|commit|pr):([^:]+)/.exec(key)?.[1];
}

const recordKey =
  /^(?:issue|incident|document|project|initiative|cycle|label|team|service):([\da-f]{8}-[\da-f-]{27}):/;

/** Returns the id of the connection whose record the key names. */
export function recordConnectionOf(key: string): string | undefined {
  return recordKey.exec(key)?.[1];
}
