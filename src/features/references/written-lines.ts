import {
  type CodeSearch,
  listedFiles,
  type Query,
  type SourceReader,
} from '../../backends/codesearch/port.ts';
import { inTurns } from '../../foundation/kernel/limits/in-turns.ts';
import { openPauses } from '../../foundation/kernel/limits/pauses.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import type { NamedSearchable } from '../repositories/named-repositories.ts';
import { LineKinds } from './line-kind.ts';
import { filesWith, type RepositoryLines } from './name-lines.ts';

/** Lines by the ids of their repositories and by their paths. */
export type WrittenLines = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<number>>>;

export interface TextDeps {
  readonly codeSearch: Pick<CodeSearch, 'search'>;
  readonly sources: Pick<SourceReader, 'readFile'>;
}

interface QualifiedName {
  /** Its last part. */
  readonly name: string;
  /** Its parts before the last one. */
  readonly owners: readonly string[];
  /** The lines that have all of it as written. */
  readonly lists: readonly RepositoryLines[];
  readonly repositories: readonly NamedSearchable[];
}

/** Number of files that are read at the same time. */
const filesAtOnce = 4;

/**
 * Returns the lines whose text means a qualified name: those that have all of it, and those with the bare name in files
 * that import it from its owners, such as `use tokio::{spawn}`.
 */
export async function writtenLines(
  { codeSearch, sources }: TextDeps,
  scope: OrgScope,
  { name, owners, lists, repositories }: QualifiedName,
  signal: AbortSignal,
): Promise<WrittenLines> {
  const found = new Map<string, Map<string, Set<number>>>();
  const add = (repository: string, path: string, lines: Iterable<number>): void => {
    const ofRepository = found.get(repository) ?? new Map<string, Set<number>>();
    found.set(repository, ofRepository);
    ofRepository.set(path, new Set([...(ofRepository.get(path) ?? []), ...lines]));
  };
  for (const list of lists) for (const [path, lines] of listedFiles(list)) add(list.repository, path, lines);
  const operands = [name, ...owners].map((text): Query => ({ kind: 'word', text }));
  const files = await filesWith(codeSearch, scope, operands, repositories, signal);
  const pause = openPauses();
  await inTurns(files, filesAtOnce, async ({ repository, path, commit }) => {
    const read = await sources.readFile(scope, { repository, path, commit }, signal);
    const { content = '', language = '' } = read ?? {};
    const lines = new LineKinds(content, language).linesImportedFrom(owners, name);
    if (lines.length > 0) add(repository, path, lines);
    await pause();
  });
  return found;
}
