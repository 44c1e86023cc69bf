import { setImmediate as nextTick } from 'node:timers/promises';
import { visibleLine } from '../../../../foundation/kernel/text/visible-text.ts';
import { fileUri } from '../../../search/file-url.ts';
import { quoted, type Sentence } from '../../answer/statements.ts';
import type { Source } from '../../answer.ts';
import { excerptOf } from '../../sources/excerpt.ts';
import { inlineCode } from '../../text/markdown.ts';
import { type Inquiry, repositoryOf } from '../inquiry.ts';
import type { Change } from './commits.ts';

const isChangelog =
  /^(?:changes|changelog|history|news|releases?(?:[-_ ]?notes)?)(?:\.(?:md|rst|txt|markdown|adoc))?$/iu;
const max = { lines: 20_000, entry: 8, quoted: 300, length: 2000 } as const;
const version = /^(?:#{1,4}\s*|=+\s*)?(?:version|release|v)?\s*\[?v?(\d+\.\d+(?:\.\d+)*[\w.-]*)/iu;

/** Quotes the entry of the changelog that names the number of a commit, with its version; `undefined` without one. */
export async function changelogSentence(
  inquiry: Inquiry,
  { node, references = [], pulls }: Change,
): Promise<Sentence | undefined> {
  const { deps, scope, signal } = inquiry;
  const repository = repositoryOf(inquiry, node.key);
  const numbers = [node.name, ...references, ...pulls.map(({ node: pull }) => pull.name)].flatMap(
    (text) => text.match(/(?<=#)\d{1,7}\b/gu) ?? [],
  );
  if (repository === undefined || numbers.length === 0) return undefined;
  const tree = await deps.sources.listTree(scope, { repository: repository.id, path: '' }, signal);
  const entry = tree?.entries.find(({ path: name }) => isChangelog.test(name));
  if (entry === undefined) return undefined;
  const { path } = entry;
  const file = await deps.sources.readFile(scope, { repository: repository.id, path }, signal);
  if (file?.content === undefined) return undefined;
  await nextTick();
  const lines = file.content.split(/\r?\n/u, max.lines);
  const found = entryWith(lines, numbers);
  if (found === undefined) return undefined;
  const span = { path, commit: file.commit, startLine: found.line, endLine: found.endLine };
  const source: Source = {
    kind: 'document',
    repository: repository.name,
    ...span,
    uri: fileUri(repository.name, span),
    url: deps.urls.file(scope, repository, span),
    title: visibleLine(`${repository.name}/${path}:${found.line}`),
    excerpt: excerptOf(lines.slice(found.line - 1, found.endLine)),
    reasons: ['names the change'],
  };
  const under = found.version === undefined ? '' : ` under ${inlineCode(found.version)}`;
  return [`The changelog says${under}: ${quoted(found.text, max.quoted)}`, source, '.'];
}

interface Entry {
  readonly text: string;
  readonly line: number;
  readonly endLine: number;
  readonly version: string | undefined;
}

/**
 * Returns the entry of a changelog that names one of some numbers, and the version that it stands under.
 * @internal Exported for its test.
 */
export function entryWith(lines: readonly string[], numbers: readonly string[]): Entry | undefined {
  const patterns = numbers.map(
    (number) => new RegExp(`(?:[#/\`]|issue:\`|pr:\`|pull:\`)${number}(?!\\d)`, 'u'),
  );
  const at = lines.findIndex((line) => patterns.some((pattern) => pattern.test(line.slice(0, max.length))));
  if (at < 0) return undefined;
  const { from, to } = entryAround(lines, at);
  const text = visibleLine(
    lines
      .slice(from, to + 1)
      .join(' ')
      .slice(0, max.length),
  )
    .replaceAll(/\s+/gu, ' ')
    .replace(/^\s*[-*+] /u, '');
  const heading = lines.slice(0, from).findLast((line) => version.test(line));
  return { text, line: from + 1, endLine: to + 1, version: heading && version.exec(heading)?.[1] };
}

function isStart(line: string): boolean {
  return /^\s*[-*+] /u.test(line);
}

function isOutside(line: string): boolean {
  return line.trim() === '' || /^\S/u.test(line);
}

/** Returns the first and last line of the list item that contains a line. */
function entryAround(lines: readonly string[], at: number): { readonly from: number; readonly to: number } {
  let from = at;
  while (from > 0 && at - from < max.entry && !isStart(lines[from] ?? '')) {
    const before = lines[from - 1] ?? '';
    if (isOutside(before) && !isStart(before)) break;
    from -= 1;
  }
  let to = at;
  while (to - from < max.entry) {
    const next = lines[to + 1];
    if (next === undefined || isStart(next) || isOutside(next)) break;
    to += 1;
  }
  return { from, to };
}
