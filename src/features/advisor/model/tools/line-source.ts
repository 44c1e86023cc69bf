import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import { visibleLine } from '../../../../foundation/kernel/text/visible-text.ts';
import { shownLines, sourcePlace } from '../../evidence/place-source.ts';
import type { IssuedSource } from '../issued-sources.ts';
import type { ToolContext } from './tool.ts';

export interface Lines {
  readonly repositoryId: RepositoryId;
  readonly path: string;
  readonly commit: string;
  readonly startLine: number;
  readonly lines: readonly string[];
}

/** Returns lines of a file as a source; none for a repository that was removed meanwhile. */
export function lineSource(
  { inquiry }: ToolContext,
  { repositoryId, path, commit, startLine, lines }: Lines,
  reason: string,
): IssuedSource[] {
  const repository = inquiry.ranked.repositories.find(({ id }) => id === repositoryId);
  if (repository === undefined || lines.length === 0) return [];
  const endLine = startLine + lines.length - 1;
  return [
    {
      kind: 'code',
      ...sourcePlace(inquiry, repository, { path, commit, startLine, endLine }),
      title: visibleLine(`${repository.name}/${path}:${startLine}-${endLine}`),
      excerpt: shownLines(lines),
      reason,
    },
  ];
}
