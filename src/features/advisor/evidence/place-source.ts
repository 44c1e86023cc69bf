import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { given } from '../../../foundation/kernel/wire/given.ts';
import { isResourceUri, printFileUri } from '../../../foundation/kernel/wire/resource-uri.ts';
import { type Place, parsePlace, printAddress } from '../../search/address.ts';
import { fileUri } from '../../search/file-url.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import type { Source } from '../answer.ts';
import type { Sentence } from '../finding.ts';
import type { Inquiry, Target } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';

/** Lines of an indexed file. */
interface Lines {
  readonly path: string;
  /** Default: the indexed commit. */
  readonly commit?: string;
  readonly startLine: number;
  readonly endLine: number;
  /** The text of the lines. */
  readonly text: string;
  /** Default: the address. */
  readonly title?: string;
  readonly reason: string;
}

/**
 * Maximum lengths of a line of an excerpt, of one that a sentence states, and of a value in a call and an address in a
 * line, in characters.
 */
const max = { line: 400, stated: 200, address: 300 } as const;

/** Joins lines without control characters, each shortened. */
export function shownLines(lines: readonly string[]): string {
  return lines.map((line) => shorten(visibleLine(line).trimEnd(), max.line)).join('\n');
}

/** Returns lines of an indexed file as a source. */
export function placeSource(
  { deps, scope }: { readonly deps: Pick<Inquiry['deps'], 'urls'>; readonly scope: OrgScope },
  repository: SearchableRepository,
  { path, commit = repository.indexedCommit, startLine, endLine, text, title, reason }: Lines,
): Source {
  const { name, indexedCommit } = repository;
  const place = { path, commit, startLine, endLine };
  const lines = { first: startLine, last: endLine };
  const at = commit === indexedCommit ? undefined : commit;
  const address = printAddress(given({ repository: name, path, lines, commit: at }));
  return {
    kind: 'code',
    repository: name,
    ...place,
    address,
    uri: fileUri(name, place),
    url: deps.urls.file(scope, repository, place),
    title: visibleLine(title ?? address),
    excerpt: shownLines(text.split('\n')),
    reason,
  };
}

/** Returns the place that a text is the whole address of. */
export function placeAt(address: string, repositories: readonly SearchableRepository[]): Place | undefined {
  try {
    const names = repositories.map(({ name }) => name);
    const place = parsePlace(address, names);
    return isResourceUri(address) || printAddress(place) === address ? place : undefined;
  } catch {
    return undefined;
  }
}

/** Formats a place as every tool takes it. */
export function placeText(repository: string, path: string, lines: Target['lines']): string {
  return addressCode(printAddress(given({ repository, path, lines })));
}

/** Formats an address as inline code. Of a long one only the beginning and the end are shown. */
export function addressCode(address: string): string {
  const isLong = address.length > max.address;
  return inlineCode(isLong ? `${address.slice(0, 60)}…${address.slice(-200)}` : address);
}

/** A line of an indexed file. */
export interface CodeLine {
  readonly repository: SearchableRepository;
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** Writes a line of code: its place and its text. */
export function codeText({ repository, path, line, text }: CodeLine): string {
  const at = placeText(repository.name, path, { first: line, last: line });
  return `${at}: ${inlineCode(shorten(text.trim(), max.stated))}`;
}

/** States a text with the number of its source, if there is one. */
export function withSource(text: string, source: Source | undefined): Sentence {
  return source === undefined ? [text] : [text, source];
}

/** A value that ends at the next space or the end of its call, whatever it is. */
const plain = /^[^\s\p{C}`'"“”;,=[\]]+$/u;

/**
 * Returns a call that leads on, such as `history address=acme/web/src/a.ts:3`: the name of a tool, then `key=value`
 * with one space before each. A list has brackets around its values and commas between them. Returns no call if a value
 * is too long, or has characters that could be read as another argument: they may come from third parties.
 */
export function nextCall(
  tool: string,
  values: Readonly<Record<string, string | readonly string[]>>,
): readonly string[] {
  const entries = Object.entries(values);
  if (!entries.every(([, value]) => [value].flat().every(isPlain))) return [];
  const printed = entries.map(([key, value]) =>
    typeof value === 'string' ? `${key}=${value}` : `${key}=[${value.join(',')}]`,
  );
  return [[tool, ...printed].join(' ')];
}

/**
 * Returns the address of a place for a call: as people read it if it can be told from the rest of the call, and names a
 * file of no other repository.
 */
export function addressValue(place: Place, repositories: readonly { readonly name: string }[]): string {
  const address = printAddress(place);
  const isOther = ({ name }: { readonly name: string }): boolean =>
    name !== place.repository && address.startsWith(`${name}/`);
  return isPlain(address) && !repositories.some(isOther) ? address : printFileUri(place);
}

function isPlain(value: string): boolean {
  return value.length <= max.address && plain.test(value);
}
