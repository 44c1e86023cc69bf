import { visibleLine } from '../../../../foundation/kernel/text/visible-text.ts';
import { placeOfKey } from '../../../knowledge/links/keys.ts';
import { fileUri } from '../../../search/file-url.ts';
import type { Sentence } from '../../answer/statements.ts';
import type { Source } from '../../answer.ts';
import { excerptOf } from '../../sources/excerpt.ts';
import { firstSentence, paragraphOf } from '../../text/first-sentence.ts';
import { type Inquiry, nodePlace, repositoryOf } from '../inquiry.ts';
import type { Target } from './target.ts';

/** Maximum number of quoted lines of a definition. */
const maxLines = 40;

export interface TargetSource extends Source {
  /** The first sentence of its comment. */
  readonly summary: string | undefined;
}

/** Names a definition or file with its place, and cites its lines. */
export async function subjectOf(inquiry: Inquiry, { node }: Pick<Target, 'node'>): Promise<Sentence> {
  const own = await targetSource(inquiry, { node });
  return [nodePlace(inquiry, node), ...(own === undefined ? [] : [own])];
}

/** Returns the lines of a definition with its comment, or the beginning of a file; `undefined` for another entity. */
export async function targetSource(
  inquiry: Inquiry,
  { node }: Pick<Target, 'node'>,
): Promise<TargetSource | undefined> {
  const { code, deps, scope, signal } = inquiry;
  const repository = repositoryOf(inquiry, node.key);
  const path = placeOfKey(node.key)?.path;
  if (repository === undefined || path === undefined) return undefined;
  const first = Number(node.props['startLine'] ?? 1);
  const known = code.find(
    (one) =>
      one.repositoryId === repository.id &&
      one.path === path &&
      one.startLine <= first &&
      one.endLine >= first,
  );
  if (known !== undefined && node.kind === 'symbol' && known.definition?.name === node.name)
    return { ...known, summary: known.summary };
  const file = await deps.sources.readFile(scope, { repository: repository.id, path }, signal);
  if (file?.content === undefined) return undefined;
  const lines = file.content.split(/\r?\n/u);
  const head = Math.min(Math.max(first, 1), lines.length);
  const startLine = node.kind === 'symbol' ? commentStart(lines, head) : 1;
  const last = node.kind === 'symbol' ? Number(node.props['endLine'] ?? head) : maxLines;
  const endLine = Math.max(startLine, Math.min(last, startLine + maxLines - 1, lines.length));
  const span = { path, commit: file.commit, startLine, endLine };
  const comment = paragraphOf(lines.slice(startLine - 1, head - 1));
  return {
    kind: 'code',
    repository: repository.name,
    ...span,
    uri: fileUri(repository.name, span),
    url: deps.urls.file(scope, repository, span),
    title: visibleLine(`${node.name} in ${repository.name}/${path}:${startLine}-${endLine}`),
    excerpt: excerptOf(lines.slice(startLine - 1, endLine)),
    reasons: ['named in the question'],
    summary: node.kind === 'symbol' ? firstSentence(comment) : undefined,
  };
}

/** Returns the first line of the comment directly above a line. 1-based. */
function commentStart(lines: readonly string[], head: number): number {
  let start = head;
  while (
    start > 1 &&
    head - start < 20 &&
    /^\s*(?:\/\/|\/\*|\*|#(?!include)|@\w)/u.test(lines[start - 2] ?? '')
  )
    start -= 1;
  return start;
}
