import { visibleLine } from '../../../../foundation/kernel/text/visible-text.ts';
import { fileUri } from '../../../search/file-url.ts';
import type { CodeSource, Evidence } from '../../answer.ts';
import { excerptOf, maxLinesExamined } from '../../sources/excerpt.ts';
import { type Body, focusLine } from '../../sources/focus-line.ts';
import { firstSentence, paragraphOf } from '../../text/first-sentence.ts';
import { stemsOf } from '../../text/split-words.ts';
import type { Inquiry } from '../inquiry.ts';
import { type Amounts, amountsIn, asksForAmount } from './amounts.ts';
import { asksForValue } from './answer-value.ts';
import { commentsOf } from './comments.ts';
import { keyLinesOf } from './key-lines.ts';
import { type ScoredDefinition } from './rank-definitions.ts';

/** Maximum number of quoted lines of a definition. */
const maxLines = 40;
/** Number of lines of comments above a definition that are quoted; its first sentence stands for a longer one. */
const maxLinesAbove = 6;

/** A text with its line. */
interface Remark {
  readonly line: number;
  readonly text: string;
}

/** A definition as a source, with what its body says about the question. */
export interface DefinitionSource extends Evidence<CodeSource> {
  readonly definition: NonNullable<CodeSource['definition']>;
  /** The comments of its body that share words with the question, best first. */
  readonly remarks: readonly Remark[];
  /** The statements of its body that share most words with the question, in their order. */
  readonly keyLines: readonly Remark[];
  /** The numbers that it contains, if the question asks for an amount. */
  readonly amounts?: Amounts;
}

/** Reads a definition with its comment; `undefined` if its repository or file cannot be read. */
export async function definitionSource(
  { deps, scope, signal, ranked, asked, code }: Inquiry,
  { file, definition, container, isFunction, score, rarity }: ScoredDefinition,
): Promise<DefinitionSource | undefined> {
  const { repository: id, path, language } = file;
  const repository = ranked.repositories.find((one) => one.id === id);
  const content = (await deps.sources.readFile(scope, { repository: id, path }, signal))?.content;
  if (repository === undefined || content === undefined) return undefined;
  const lines = content.split(/\r?\n/u);
  const { line, doc, name } = definition;
  const said =
    doc === undefined
      ? []
      : lines.slice(doc.startLine - 1, Math.min(doc.endLine, doc.startLine - 1 + maxLinesExamined));
  const summary = firstSentence(paragraphOf(said));
  const bodyStart = doc !== undefined && doc.startLine > line ? doc.endLine + 1 : line;
  const body: Body = { lines, from: bodyStart, to: Math.min(definition.endLine, lines.length) };
  const focus = focusLine(body, ranked.subject.terms, rarity);
  const span = { path, commit: file.commit, ...spanOf(definition, lines.length, focus) };
  const { startLine, endLine } = span;
  const kind = kindOf(definition.kind, isFunction);
  const title = container === undefined ? name : `${container}.${name}`;
  return {
    kind: 'code',
    repositoryId: id,
    repository: repository.name,
    ...span,
    language,
    uri: fileUri(repository.name, span),
    url: deps.urls.file(scope, repository, span),
    title: visibleLine(`${kind} ${title} in ${repository.name}/${path}:${startLine}-${endLine}`),
    excerpt: excerptOf(lines.slice(startLine - 1, endLine)),
    ...(focus === undefined ? {} : { focus }),
    reasons: file.reasons.map(visibleLine),
    definition: {
      name: visibleLine(name),
      kind,
      line,
      ...(container === undefined ? {} : { container: visibleLine(container) }),
    },
    ...(summary === undefined ? {} : { summary }),
    remarks: remarksOf(commentsOf(body), new Set(ranked.subject.terms.flatMap(stemsOf))),
    keyLines: keyLinesOf(body, ranked.subject.terms),
    ...(asksForAmount.test(asked) || asksForValue.test(asked)
      ? { amounts: amountsIn(body, ranked.subject.terms) }
      : {}),
    rank: 1,
    score: Math.max(score, code[0]?.score ?? 0),
  };
}

/** Number of lines before the focus that are quoted of a definition that is too long to be quoted whole. */
const linesBefore = 12;

/** Returns the lines of a definition that are quoted: its beginning, or those around the focus if it comes later. */
function spanOf(
  { startLine: first, line, endLine: last }: ScoredDefinition['definition'],
  length: number,
  focus: number | undefined,
): { readonly startLine: number; readonly endLine: number } {
  const begin = line - first > maxLinesAbove ? line : first;
  const isLater = focus !== undefined && focus > begin + maxLines - linesBefore;
  const startLine = isLater ? focus - linesBefore : begin;
  return { startLine, endLine: Math.min(last, startLine + maxLines - 1, length) };
}

/** Returns the kind of a definition as people call it: a constant that holds a function is one. */
function kindOf(kind: string, isFunction: boolean): string {
  if (kind === 'other') return 'definition';
  return isFunction && kind !== 'method' ? 'function' : kind;
}

/** Number of words of the question that a comment must share to be quoted; a short question has fewer. */
const minShared = 2;

function remarksOf(comments: readonly Remark[], words: ReadonlySet<string>): readonly Remark[] {
  const needed = Math.max(1, Math.min(minShared, words.size - 1));
  const scored = comments.flatMap(({ line, text }) => {
    const sentence = firstSentence(text);
    const shared = new Set(stemsOf(sentence ?? '').filter((word) => words.has(word))).size;
    return sentence === undefined || shared < needed ? [] : [{ line, text: sentence, shared }];
  });
  return scored.toSorted((a, b) => b.shared - a.shared || a.line - b.line);
}
