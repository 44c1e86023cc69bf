import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { printAddress } from '../../search/address.ts';
import { type FileSpan, fileUri } from '../../search/file-url.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import type { Source } from '../answer.ts';
import type { Inquiry } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';
import { maxAddress } from './next-call.ts';

/** Lines of an indexed file. */
export interface Lines {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  /** The text of the lines. */
  readonly text: string;
  readonly reason: string;
}

/** The fields of a source that say where lines of a file are. */
type SourcePlace = Required<
  Pick<Source, 'repository' | 'path' | 'commit' | 'startLine' | 'endLine' | 'uri' | 'url'>
>;

/** Returns where lines of a file are, for people and for tools. */
export function sourcePlace(
  { deps, scope }: { readonly deps: Pick<Inquiry['deps'], 'urls'>; readonly scope: OrgScope },
  repository: SearchableRepository,
  { path, commit, startLine, endLine }: Required<FileSpan>,
): SourcePlace {
  const place = { path, commit, startLine, endLine };
  return {
    repository: repository.name,
    ...place,
    uri: fileUri(repository.name, place),
    url: deps.urls.file(scope, repository, place),
  };
}

/** Maximum length of a line, in characters. */
const maxLine = 200;
/** The same of an excerpt of other texts. */
const maxExcerptLine = 400;

/** Joins lines without control characters, each shortened. */
export function shownLines(lines: readonly string[], length = maxExcerptLine): string {
  return lines.map((line) => shorten(visibleLine(line).trimEnd(), length)).join('\n');
}

/** Returns lines of an indexed file as a source. */
export function placeSource(
  inquiry: Pick<Inquiry, 'deps' | 'scope'>,
  repository: SearchableRepository,
  { path, startLine, endLine, text, reason }: Lines,
): Source {
  return {
    kind: 'code',
    ...sourcePlace(inquiry, repository, { path, commit: repository.indexedCommit, startLine, endLine }),
    title: visibleLine(`${repository.name}/${path}:${startLine}`),
    excerpt: shownLines(text.split('\n'), maxLine),
    reasons: [reason],
  };
}

/** Formats a place as every tool takes it. */
export function placeText(
  repository: string,
  path: string,
  lines?: { readonly first: number; readonly last: number },
): string {
  return addressCode(printAddress({ repository, path, ...(lines === undefined ? {} : { lines }) }));
}

/** Formats an address as inline code. Of a long one only the beginning and the end are shown. */
export function addressCode(address: string): string {
  const isLong = address.length > maxAddress;
  return inlineCode(isLong ? `${address.slice(0, 60)}…${address.slice(-200)}` : address);
}
