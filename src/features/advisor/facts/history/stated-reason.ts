import { setImmediate as nextTick } from 'node:timers/promises';
import type { RankedFile } from '../../../../backends/codesearch/port.ts';
import { visibleLine } from '../../../../foundation/kernel/text/visible-text.ts';
import { fileUri } from '../../../search/file-url.ts';
import { quoted, type Sentence } from '../../answer/statements.ts';
import type { Source } from '../../answer.ts';
import { excerptOf } from '../../sources/excerpt.ts';
import { commentsOf } from '../definitions/comments.ts';
import { stemsOf } from '../definitions/rank-definitions.ts';
import { type Inquiry, placeText } from '../inquiry.ts';
import { isProductFile } from '../test-path.ts';

/** A comment that says why the code is so. */
export interface StatedReason {
  readonly text: string;
  readonly file: RankedFile;
  readonly line: number;
  readonly source: Source;
}

/** Number of files whose comments are compared, and length of a quoted comment; a longer one is a manual. */
const max = { files: 8, quoted: 300, length: 600, lines: 3000 } as const;
const givesReason =
  /\b(?:because|since|so that|otherwise|avoid\w*|prevent\w*|workaround|work around|compatib\w+|in order to|due to|not specified|isn't specified|ensure\w*|needed|necessary|required?|must|cannot|can't|would|only if|instead of|never)\b/iu;
/** Share of the weight of the question's words that a comment must have. One that gives a reason needs less. */
const minShare = { reason: 0.5, other: 0.7 } as const;
/** Weight of the words that only the code around a comment has. */
const aroundWeight = 0.5;
/** Number of words that a comment shares with the question; one word is chance. */
const minShared = 2;
/** Number of lines before and after the beginning of a comment that it is about. */
const linesAround = 10;

interface Candidate {
  readonly file: RankedFile;
  readonly line: number;
  readonly text: string;
  readonly words: ReadonlySet<string>;
  readonly around: ReadonlySet<string>;
}

/** Finds the comment in the best files that answers why something is so; `undefined` if none fits the question. */
export async function findStatedReason(inquiry: Inquiry): Promise<StatedReason | undefined> {
  const { ranked } = inquiry;
  const candidates: Candidate[] = [];
  for (const file of ranked.files.filter(isProductFile).slice(0, max.files)) {
    for (const { startLine, text } of file.spans) candidates.push(...commentsIn(file, startLine, text));
    await nextTick();
  }
  const names = new Set(ranked.repositories.flatMap(({ name }) => stemsOf(name)));
  const wanted = [...new Set(ranked.subject.terms.flatMap(stemsOf))].filter((word) => !names.has(word));
  const weights = new Map(wanted.map((word) => [word, weightOf(word, candidates)]));
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const bestScore = Math.max(...ranked.files.map(({ score }) => score));
  let best: { readonly one: Candidate; readonly score: number } | undefined;
  for (const one of candidates) {
    const share = total === 0 ? 0 : shareOf(one, weights) / total;
    const isReason = givesReason.test(one.text);
    if (one.text.length > max.length) continue;
    if (share < (isReason ? minShare.reason : minShare.other)) continue;
    const score = share * (isReason ? 1.4 : 1) * Math.sqrt(one.file.score / bestScore);
    if (best === undefined || score > best.score) best = { one, score };
  }
  return best && reasonOf(inquiry, best.one);
}

function commentsIn(file: RankedFile, startLine: number, text: string): Candidate[] {
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

function weightOf(word: string, candidates: readonly Candidate[]): number {
  const count = candidates.filter(({ words }) => words.has(word)).length;
  return Math.log(1 + (candidates.length + 1) / (count + 0.5));
}

function shareOf({ words, around }: Candidate, weights: ReadonlyMap<string, number>): number {
  let own = 0;
  let near = 0;
  let shared = 0;
  for (const [word, weight] of weights) {
    if (words.has(word)) {
      own += weight;
      shared += 1;
    }
    if (!words.has(word) && around.has(word)) near += weight * aroundWeight;
  }
  return shared < minShared ? 0 : own + near;
}

function reasonOf(
  { ranked, deps, scope }: Inquiry,
  { file, line, text }: Candidate,
): StatedReason | undefined {
  const { repository: id, path, commit } = file;
  const repository = ranked.repositories.find((one) => one.id === id);
  const lines = file.spans.find((span) => span.startLine <= line && span.endLine >= line);
  if (repository === undefined || lines === undefined) return undefined;
  const first = line - lines.startLine;
  const shown = lines.text.split(/\r?\n/u).slice(first, first + 12);
  const span = { path, commit, startLine: line, endLine: line + Math.max(0, shown.length - 1) };
  const source: Source = {
    kind: 'code',
    repository: repository.name,
    ...span,
    uri: fileUri(repository.name, span),
    url: deps.urls.file(scope, repository, span),
    title: visibleLine(`comment in ${repository.name}/${path}:${line}`),
    excerpt: excerptOf(shown),
    reasons: ['says why'],
  };
  return { text: visibleLine(text), file, line, source };
}

/** Quotes the reason with its place. */
export function reasonSentence(inquiry: Inquiry, { text, file, line, source }: StatedReason): Sentence {
  const repository = source.repository ?? '';
  const place = placeText(inquiry, { repository, path: file.path, line });
  return [`The comment at ${place} says: ${quoted(text, max.quoted)}`, source, '.'];
}
