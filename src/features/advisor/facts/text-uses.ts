import type { FileMatch, LineMatch } from '../../../backends/codesearch/port.ts';
import type { RepositoryId } from '../../../foundation/kernel/ids.ts';
import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { fileUri } from '../../search/file-url.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import type { Source } from '../answer.ts';
import { excerptOf } from '../sources/excerpt.ts';
import type { Inquiry } from './inquiry.ts';
import { searchText } from './search-text.ts';
import { testsLast } from './test-path.ts';

/** A line that contains a text, with some lines around it. */
export interface TextSource extends Source {
  readonly repositoryId: RepositoryId;
  readonly repository: string;
  readonly path: string;
  readonly line: number;
}

export interface TextRequest {
  readonly text: string;
  readonly caseSensitive: boolean;
  readonly repositories: readonly SearchableRepository[];
  /** Number of lines before and after the line: 0 to 10. */
  readonly around: number;
}

/** Finds the first line of each file that contains a text, those of the product before those of its tests. */
export async function findText(
  inquiry: Inquiry,
  { text, caseSensitive, repositories, around }: TextRequest,
): Promise<readonly TextSource[]> {
  const search = { text, caseSensitive, field: 'content', repositories, matchesPerFile: 2 } as const;
  const { files = [] } = (await searchText(inquiry, { ...search, contextLines: around })) ?? {};
  const reason = `contains ${visibleLine(text.slice(0, 100))}`;
  const found = files.flatMap((file) =>
    file.matches
      .filter(({ line }) => line > 0)
      .flatMap((match) => lineSource(inquiry, file, match, reason) ?? []),
  );
  return testsLast(found, ({ path }) => path);
}

/** Returns a line with those around it; `undefined` if its repository cannot be searched. */
export function lineSource(
  { deps, scope, ranked }: Inquiry,
  { repository: id, path, commit }: Pick<FileMatch, 'repository' | 'path' | 'commit'>,
  { line, text, before, after }: Pick<LineMatch, 'line' | 'text' | 'before' | 'after'>,
  reason: string,
): TextSource | undefined {
  const repository = ranked.repositories.find((one) => one.id === id);
  if (repository === undefined) return undefined;
  const span = { path, commit, startLine: line - before.length, endLine: line + after.length };
  return {
    kind: 'code',
    line,
    repositoryId: id,
    repository: repository.name,
    ...span,
    uri: fileUri(repository.name, span),
    url: deps.urls.file(scope, repository, span),
    title: visibleLine(`${repository.name}/${path}:${line}`),
    excerpt: excerptOf([...before, text, ...after]),
    reasons: [reason],
  };
}
