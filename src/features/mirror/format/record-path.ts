import type { MirroredRecord, RecordKind } from './record-kind.ts';

/** Returns the kind of the files at a path; `undefined` for configuration, assets and files of people. */
export function kindAt(kinds: readonly RecordKind[], path: string): RecordKind | undefined {
  const names = path.split('/');
  return kinds.find(({ files }) => matches(files.split('/'), names));
}

/** A `*` stands for a whole name, or for all of a name before its extension. */
function matches(pattern: readonly string[], names: readonly string[]): boolean {
  if (pattern.length !== names.length) return false;
  return pattern.every((part, index) => {
    const name = names[index] ?? '';
    const [start = '', end] = part.split('*');
    return end === undefined
      ? name === part
      : name.length > part.length - 1 && name.endsWith(end) && name.startsWith(start);
  });
}

/** Returns the path of a record, from the root of the context repository. */
export function recordPath(kind: RecordKind, record: MirroredRecord): string {
  const names = [...(kind.names?.(record) ?? [])];
  return kind.files.replaceAll('*', () => names.shift() ?? '');
}
