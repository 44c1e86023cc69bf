import type { RankedFile } from '../../../../backends/codesearch/port.ts';
import { openPauses } from '../../../../foundation/kernel/limits/pauses.ts';
import { visibleLine } from '../../../../foundation/kernel/text/visible-text.ts';
import { placeOfKey } from '../../../knowledge/links/keys.ts';
import { fileUri } from '../../../search/file-url.ts';
import { quoted, type Sentence } from '../../answer/statements.ts';
import type { Source } from '../../answer.ts';
import { excerptOf } from '../../sources/excerpt.ts';
import { proseOf } from '../../text/first-sentence.ts';
import { rarities, rarity } from '../../text/rarity.ts';
import { givesReason } from '../../text/reasons.ts';
import { stemsOf } from '../../text/split-words.ts';
import { commentsOf } from '../definitions/comments.ts';
import { type Inquiry, placeText } from '../inquiry.ts';
import { isProductFile } from '../test-path.ts';

/** A comment that says why the code is so. */
export interface StatedReason {
  readonly text: string;
  readonly file: RankedFile;
  readonly line: number;
  readonly source: Source;
}

/** Numbers of files whose comments and of documents whose paragraphs are compared, and length of a quoted comment; a longer one is a manual. */
const max = { files: 8, documents: 4, quoted: 300, length: 600, lines: 3000 } as const;
/** The description of a parameter, which says what it does and not why. */
const describesParameter =
  /^(?:[@:\\](?:param|arg|return|type|rtype|throws|raises)|\*{1,2}\w+\*{1,2}\s*[-:–]|`?\w+`?\s*(?:\([^)]{0,40}\)\s*)?[-–:] )|\*\(optional\)\*/iu;
/** Share of the weight of the question's words that a comment and the code around it must have. */
const minShare = 0.5;
/** Weight of the words that only the code around a comment has. */
const aroundWeight = 0.5;
/** Number of rare words that a comment shares with the question; one word is chance. */
const minShared = 2;
/** Number of lines before and after the beginning of a comment that it is about. */
const linesAround = 10;

/** A comment or paragraph that may give a reason. */
interface ReasonText {
  readonly file: RankedFile;
  readonly line: number;
  readonly text: string;
  readonly words: ReadonlySet<string>;
  readonly around: ReadonlySet<string>;
}

/** Finds the comment in the best files that answers why something is so; `undefined` if none fits the question. */
export async function findStatedReason(inquiry: Inquiry): Promise<StatedReason | undefined> {
  const { ranked } = inquiry;
  const candidates: ReasonText[] = [];
  const pause = openPauses();
  const files = ranked.files.filter((file) => isProductFile(file) && isMeant(inquiry, file));
  for (const file of files.slice(0, max.files)) {
    for (const { startLine, text } of file.spans) {
      candidates.push(...commentsIn(file, startLine, text));
      await pause();
    }
  }
  const documents = ranked.files.filter((file) => isDocument(file) && isMeant(inquiry, file));
  for (const file of documents.slice(0, max.documents)) {
    for (const { startLine, text } of file.spans) {
      candidates.push(...paragraphsIn(file, startLine, text));
      await pause();
    }
  }
  const names = new Set(ranked.repositories.flatMap(({ name }) => stemsOf(name)));
  const wanted = [...new Set(ranked.subject.terms.flatMap(stemsOf))].filter((word) => !names.has(word));
  const texts = candidates.map(({ words }) => words);
  const weights = rarities(wanted, texts);
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const bestScore = Math.max(...ranked.files.map(({ score }) => score));
  let best: { readonly one: ReasonText; readonly score: number } | undefined;
  for (const one of candidates) {
    if (!saysWhy(one.text)) continue;
    const share = total === 0 ? 0 : shareOf(one, weights, rareWeight(candidates.length)) / total;
    if (share < minShare) continue;
    const score = share * Math.sqrt(one.file.score / bestScore);
    if (best === undefined || score > best.score) best = { one, score };
  }
  return best && reasonOf(inquiry, best.one);
}

/**
 * Returns whether a comment gives a reason, and not only a description.
 * @internal Exported for its test.
 */
export function saysWhy(text: string): boolean {
  return text.length <= max.length && givesReason.test(text) && !describesParameter.test(text);
}

/** The reason of something that the question names stands in its file. */
function isMeant({ named }: Inquiry, { repository, path }: RankedFile): boolean {
  const keys = [...named.symbols, ...named.files].map(({ key }) => placeOfKey(key));
  return keys.length === 0 || keys.some((place) => place?.path === path && place.repositoryId === repository);
}

function commentsIn(file: RankedFile, startLine: number, text: string): ReasonText[] {
  const lines = text.split(/\r?\n/u, max.lines);
  return commentsOf({ lines, from: 1, to: lines.length }).map((comment) => {
    const near = lines.slice(Math.max(0, comment.line - 1 - linesAround), comment.line + linesAround);
    return {
      file,
      line: startLine + comment.line - 1,
      text: comment.text,
      words: new Set(stemsOf(comment.text)),
      around: new Set(stemsOf(near.join('\n'))),
    };
  });
}

/** The weight of a word that a tenth of the comments have, or three of them. */
function rareWeight(comments: number): number {
  return rarity(Math.max(3, comments / 10), comments);
}

function isDocument({ fileClass, path }: RankedFile): boolean {
  return (fileClass === 'docs' || fileClass === 'readme') && !isChangelog.test(path);
}

/** A document of what changed, whose entries are not about the present. */
const isChangelog = /(?:^|\/)(?:changes|changelog|history|news|releases?)\b[^/]*$/iu;

/**
 * Returns the paragraphs of some lines of a document.
 * @internal Exported for its test.
 */
export function paragraphsIn(file: RankedFile, startLine: number, text: string): ReasonText[] {
  const lines = text.split(/\r?\n/u, max.lines);
  const found: ReasonText[] = [];
  for (let at = 0; at < lines.length; at++) {
    if ((lines[at] ?? '').trim() === '') continue;
    const from = at;
    while (at + 1 < lines.length && (lines[at + 1] ?? '').trim() !== '') at += 1;
    const paragraph = proseOf(lines.slice(from, at + 1));
    if (paragraph === '') continue;
    const near = lines.slice(Math.max(0, from - linesAround), at + linesAround);
    found.push({
      file,
      line: startLine + from,
      text: paragraph,
      words: new Set(stemsOf(paragraph)),
      around: new Set(stemsOf(`${file.path}\n${near.join('\n')}`)),
    });
  }
  return found;
}

function shareOf({ words, around }: ReasonText, weights: ReadonlyMap<string, number>, rare: number): number {
  let own = 0;
  let near = 0;
  let shared = 0;
  for (const [word, weight] of weights) {
    if (words.has(word)) {
      own += weight;
      if (weight >= rare) shared += 1;
    }
    if (!words.has(word) && around.has(word)) near += weight * aroundWeight;
  }
  return shared < minShared ? 0 : own + near;
}

function reasonOf(
  { ranked, deps, scope }: Inquiry,
  { file, line, text }: ReasonText,
): StatedReason | undefined {
  const { repository: id, path, commit } = file;
  const repository = ranked.repositories.find((one) => one.id === id);
  const lines = file.spans.find((span) => span.startLine <= line && span.endLine >= line);
  if (repository === undefined || lines === undefined) return undefined;
  const first = line - lines.startLine;
  const shown = lines.text.split(/\r?\n/u).slice(first, first + 12);
  const span = { path, commit, startLine: line, endLine: line + Math.max(0, shown.length - 1) };
  const source: Source = {
    kind: isDocument(file) ? 'document' : 'code',
    repository: repository.name,
    ...span,
    uri: fileUri(repository.name, span),
    url: deps.urls.file(scope, repository, span),
    title: visibleLine(`${isDocument(file) ? 'paragraph' : 'comment'} in ${repository.name}/${path}:${line}`),
    excerpt: excerptOf(shown),
    reasons: ['says why'],
  };
  return { text: visibleLine(text), file, line, source };
}

/** Quotes the reason with its place. */
export function reasonSentence(inquiry: Inquiry, { text, file, line, source }: StatedReason): Sentence {
  const repository = source.repository ?? '';
  const place = placeText(inquiry, { repository, path: file.path, line });
  const what = isDocument(file) ? 'documentation' : 'comment';
  return [`The ${what} at ${place} says: ${quoted(text, max.quoted)}`, source, '.'];
}
