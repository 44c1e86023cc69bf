import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { printAddress } from '../../search/address.ts';
import { fileUri } from '../../search/file-url.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import type { Source } from '../answer.ts';
import type { Inquiry } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';

/** Lines of an indexed file. */
export interface Lines {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  /** The text of the lines. */
  readonly text: string;
  readonly reason: string;
}

/** Maximum length of a line, in characters. */
const maxLine = 200;

/** Returns lines of an indexed file as a source. */
export function placeSource(
  { deps, scope }: Pick<Inquiry, 'deps' | 'scope'>,
  repository: SearchableRepository,
  { path, startLine, endLine, text, reason }: Lines,
): Source {
  const place = { path, commit: repository.indexedCommit, startLine, endLine };
  return {
    kind: 'code',
    repository: repository.name,
    ...place,
    uri: fileUri(repository.name, place),
    url: deps.urls.file(scope, repository, place),
    title: visibleLine(`${repository.name}/${path}:${startLine}`),
    excerpt: text
      .split('\n')
      .map((line) => shorten(visibleLine(line).trimEnd(), maxLine))
      .join('\n'),
    reasons: [reason],
  };
}

/** Formats a place as every tool takes it. */
export function placeText(
  repository: string,
  path: string,
  lines?: { readonly first: number; readonly last: number },
): string {
  return inlineCode(printAddress({ repository, path, ...(lines === undefined ? {} : { lines }) }));
}
