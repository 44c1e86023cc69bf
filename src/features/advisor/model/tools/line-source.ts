import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import { visibleLine } from '../../../../foundation/kernel/text/visible-text.ts';
import { fileUri } from '../../../search/file-url.ts';
import { excerptOf } from '../../evidence/excerpt.ts';
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
  { deps, inquiry }: ToolContext,
  { repositoryId, path, commit, startLine, lines }: Lines,
  reason: string,
): IssuedSource[] {
  const { ranked, scope } = inquiry;
  const repository = ranked.repositories.find(({ id }) => id === repositoryId);
  if (repository === undefined || lines.length === 0) return [];
  const span = { path, commit, startLine, endLine: startLine + lines.length - 1 };
  return [
    {
      kind: 'code',
      repository: repository.name,
      ...span,
      uri: fileUri(repository.name, span),
      url: deps.urls.file(scope, repository, span),
      title: visibleLine(`${repository.name}/${path}:${startLine}-${span.endLine}`),
      excerpt: excerptOf(lines),
      reason,
    },
  ];
}
