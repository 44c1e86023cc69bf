import { openPauses } from '../../../../foundation/kernel/limits/pauses.ts';
import { visibleLine } from '../../../../foundation/kernel/text/visible-text.ts';
import { fileUri } from '../../../search/file-url.ts';
import { quoted, type Sentence } from '../../answer/statements.ts';
import type { Source } from '../../answer.ts';
import { excerptOf } from '../../sources/excerpt.ts';
import { inlineCode } from '../../text/markdown.ts';
import { rarities } from '../../text/rarity.ts';
import { stemsOf } from '../../text/split-words.ts';
import { type Inquiry, repositoryOf } from '../inquiry.ts';
import { dayOf } from '../targets/node-source.ts';
import type { Change } from './commits.ts';

const isChangelog =
  /^(?:changes|changelog|history|news|releases?(?:[-_ ]?notes)?)(?:\.(?:md|rst|txt|markdown|adoc))?$/iu;
const max = {
  lines: 20_000,
  entry: 8,
  quoted: 300,
  length: 2000,
  heading: 5,
  headingLength: 200,
} as const;
/** Number of words of a subject that an entry must have, and the share of their weight. */
const min = { words: 3, share: 0.7 } as const;
const version = /^(?:#{1,4}|=+)?\s*(?:(?:version|release|v)\s*)?\[?v?(\d+\.\d+(?:\.\d+)*[\w.-]*)/iu;

/**
 * Quotes the entry of the changelog that names the number of a commit, or else the one that says its subject, with its
 * version; `undefined` without one.
 */
export async function changelogSentence(inquiry: Inquiry, change: Change): Promise<Sentence | undefined> {
  const { deps, scope, signal } = inquiry;
  const repository = repositoryOf(inquiry, change.node.key);
  if (repository === undefined) return undefined;
  const tree = await deps.sources.listTree(scope, { repository: repository.id, path: '' }, signal);
  const path = tree?.entries.find((one) => one.kind === 'file' && isChangelog.test(one.path))?.path;
  if (path === undefined) return undefined;
  const file = await deps.sources.readFile(scope, { repository: repository.id, path }, signal);
  if (file?.content === undefined) return undefined;
  const lines = file.content.split(/\r?\n/u, max.lines);
  const day = dayOf(change.node);
  const numbered = entryWith(lines, numbersOf(change));
  const isNumbered = numbered !== undefined && !isEarlier(numbered, day);
  const found = isNumbered ? numbered : await entrySaying(lines, change.node.name);
  if (found === undefined || isEarlier(found, day)) return undefined;
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

function numbersOf({ node, references = [], pulls }: Change): readonly string[] {
  const texts = [node.name, ...references, ...pulls.map(({ node: pull }) => pull.name)];
  return texts.flatMap((text) => text.match(/(?<=#)\d{1,7}\b/gu) ?? []);
}

/** Returns whether the version of an entry was released before a commit, which it then cannot contain. */
function isEarlier({ released }: Entry, day: string | undefined): boolean {
  return released !== undefined && day !== undefined && released < day;
}

interface Entry {
  readonly text: string;
  readonly line: number;
  readonly endLine: number;
  readonly version: string | undefined;
  /** The day that stands near the heading of the version. */
  readonly released: string | undefined;
}

/**
 * Returns the entry of a changelog that names one of some numbers, and the version that it stands under.
 * @internal Exported for its test.
 */
export function entryWith(lines: readonly string[], numbers: readonly string[]): Entry | undefined {
  if (numbers.length === 0) return undefined;
  const patterns = numbers.map((number) => new RegExp(`[#/\`]${number}(?!\\d)`, 'u'));
  const at = lines.findIndex((line) => patterns.some((pattern) => pattern.test(line.slice(0, max.length))));
  if (at < 0) return undefined;
  return entryAt(lines, at);
}

/**
 * Returns the entry of a changelog that says most of a subject, rare words counting more, and nearly all of it.
 * @internal Exported for its test.
 */
export async function entrySaying(lines: readonly string[], subject: string): Promise<Entry | undefined> {
  const wanted = new Set(stemsOf(subject));
  if (wanted.size < min.words) return undefined;
  const entries: { readonly at: number; readonly words: ReadonlySet<string> }[] = [];
  const pause = openPauses();
  for (const [at, line] of lines.entries()) {
    if (!isStart(line)) continue;
    const { from, to } = entryAround(lines, at);
    const text = lines
      .slice(from, to + 1)
      .join(' ')
      .slice(0, max.length);
    entries.push({ at, words: new Set(stemsOf(text)) });
    await pause();
  }
  const weights = rarities(
    wanted,
    entries.map(({ words }) => words),
  );
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  let best: { readonly at: number; readonly share: number } | undefined;
  for (const { at, words } of entries) {
    const shared = [...weights].filter(([word]) => words.has(word));
    const share = shared.reduce((sum, [, weight]) => sum + weight, 0) / total;
    if (shared.length >= min.words && share >= min.share && share > (best?.share ?? 0)) best = { at, share };
  }
  return best && entryAt(lines, best.at);
}

function entryAt(lines: readonly string[], at: number): Entry {
  const { from, to } = entryAround(lines, at);
  const text = visibleLine(
    lines
      .slice(from, to + 1)
      .join(' ')
      .slice(0, max.length),
  )
    .replaceAll(/\s+/gu, ' ')
    .replace(/^\s*[-*+] /u, '');
  const heading = lines.findLastIndex(
    (line, number) => number < from && version.test(line.slice(0, max.headingLength)),
  );
  const near = heading < 0 ? '' : lines.slice(heading, Math.min(from, heading + max.heading)).join('\n');
  return {
    text,
    line: from + 1,
    endLine: to + 1,
    version: version.exec(near)?.[1],
    released: /\b\d{4}-\d{2}-\d{2}\b/u.exec(near)?.[0],
  };
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
