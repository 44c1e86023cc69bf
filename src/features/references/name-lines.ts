import type { CodeSearch, Incomplete, NamedRepository, Query } from '../../backends/codesearch/port.ts';
import { maxListed } from '../../backends/codesearch/port.ts';
import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import { openPauses } from '../../foundation/kernel/limits/pauses.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { compareText } from '../../foundation/kernel/text/compare-text.ts';
import { fileKey } from '../knowledge/links/keys.ts';
import { mergeIncomplete } from '../search/find-symbol.ts';
import { escapePattern } from '../search/symbol-name.ts';

/** A file with the lines that contain a name. */
export interface FileLines {
  /** See `fileKey`. */
  readonly key: string;
  readonly repositoryId: RepositoryId;
  /** Repository name. */
  readonly repository: string;
  readonly path: string;
  readonly language: string;
  readonly commit: string;
  /** In ascending order. */
  readonly lines: readonly number[];
  /** The lines that define the name. */
  readonly definitions: ReadonlySet<number>;
}

interface NameLines {
  /** The files of repositories that define the name come first; then by the names of repositories, and by path. */
  readonly files: readonly FileLines[];
  readonly incomplete: Incomplete | undefined;
}

/** Time-out of the two searches, in milliseconds. */
const deadlineMs = 5_000;
const none: ReadonlySet<number> = new Set();

/** Returns all lines that contain a name as a whole word, in this case, and which of them define it. */
export async function linesOfName(
  codeSearch: Pick<CodeSearch, 'search'>,
  scope: OrgScope,
  name: string,
  repositories: readonly NamedRepository[],
  signal: AbortSignal,
): Promise<NameLines> {
  if (repositories.length === 0) return { files: [], incomplete: undefined };
  const word: Query = { kind: 'word', text: name };
  const symbol: Query = {
    kind: 'symbol',
    form: 'regex',
    text: `^${escapePattern(name)}$`,
    caseSensitive: true,
    trusted: true,
  };
  const { files: limit } = maxListed;
  const shared = {
    repositories,
    matchesPerFile: 0,
    contextLines: 0,
    limit,
    deadlineMs,
    everyLine: true,
  } as const;
  const linesOf = (query: Query) => codeSearch.search(scope, { query, ...shared }, signal);
  const [listed, defined] = await Promise.all([linesOf(word), linesOf(symbol)]);
  const definitions = new Map(
    defined.files.map(({ repository, path, lines }) => [fileKey(repository, path), new Set(lines)]),
  );
  const names = new Map(repositories.map((repository) => [repository.id, repository.name]));
  const defining = new Set(defined.files.map(({ repository }) => repository));
  const pause = openPauses();
  await pause();
  const files: FileLines[] = [];
  for (const { repository: repositoryId, path, language, commit, lines = [] } of listed.files) {
    const repository = names.get(repositoryId);
    if (repository === undefined) continue;
    const key = fileKey(repositoryId, path);
    const own = definitions.get(key) ?? none;
    files.push({ key, repositoryId, repository, path, language, commit, lines, definitions: own });
  }
  const byRepository = [...Map.groupBy(files, ({ repositoryId }) => repositoryId)].toSorted(
    ([one], [other]) =>
      Number(defining.has(other)) - Number(defining.has(one)) ||
      compareText(names.get(one) ?? '', names.get(other) ?? ''),
  );
  const ordered: FileLines[] = [];
  for (const [, own] of byRepository) {
    await pause();
    ordered.push(...own.toSorted((one, other) => compareText(one.path, other.path)));
  }
  return { files: ordered, incomplete: mergeIncomplete(listed.incomplete, defined.incomplete) };
}
