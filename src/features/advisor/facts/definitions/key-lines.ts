import { visibleLine } from '../../../../foundation/kernel/text/visible-text.ts';
import { relatedWords } from '../../question/words/related-words.ts';
import { maxLinesExamined } from '../../sources/excerpt.ts';
import type { Body } from '../../sources/focus-line.ts';
import { stemsOf } from '../../text/split-words.ts';
import { linesInBlocks } from '../uses/lines-in-blocks.ts';

/** Number of lines that are quoted, and the length of one that is worth quoting. */
const max = { quoted: 2, length: 120 } as const;
/** Minimum score: a word of the question in a line that decides or computes something. */
const minScore = 3;
/** Number of words of the question, or words that code uses for them, that a line must contain. */
const minShared = 2;
const decides =
  /^(?:\}?\s*(?:else\s+)?(?:if|elif|elsif|unless|while|case|when|match|switch|guard|return|throw|raise|panic|assert|await|yield)\b|[\w$.[\]"'*&]+\s*(?:[-+*/|&?]{0,2}=(?!=)|:=)|(?:const|let|var|val|final|mut)\s)/u;
const asksForDecision = /^(?:decid|determin|choos|check|allow|skip|ignor|limit|fail|miss)/iu;
const isDecision = /^(?:\}?\s*(?:else\s+)?(?:if|elif|elsif|unless|while|case|when|match|switch|guard))\b/u;
/** Lines that only begin with an empty value. */
const isEmptyStart =
  /=\s*(?:\[\]\w*(?:\{\})?|\{\}|new [\w<>]+\(\)|\w+\(\)|""|''|None|null|nil|0|false|true)[;,]?$/iu;
const isDeclaration = /(?:=>|\bfunction\b[^;]*)\s*\{?$|^(?:async\s+)?(?:def|func|fn|fun)\s/u;
const isComment = /^(?:\/\/|\/\*|\*|#|--\s|"""|''')/u;

/** Returns the statements that share most words with a question, in their order. */
export function keyLinesOf(
  { lines, from, to }: Body,
  terms: readonly string[],
): readonly { readonly line: number; readonly text: string }[] {
  const own = new Set(terms.flatMap(stemsOf));
  const related = new Set(relatedWords(terms).flatMap(stemsOf));
  const needed = Math.min(minShared, own.size);
  const prefersDecisions = terms.some((term) => asksForDecision.test(term));
  const last = Math.min(to, from + maxLinesExamined);
  const prose = linesInBlocks(lines.slice(0, last));
  const scored: { line: number; text: string; score: number }[] = [];
  for (let line = from + 1; line <= last; line++) {
    const text = (lines[line - 1] ?? '').trim();
    if (prose.has(line) || !isQuotable(text)) continue;
    const words = [...new Set(stemsOf(text))];
    const shared = words.filter((word) => own.has(word)).length;
    const near = words.filter((word) => !own.has(word) && related.has(word)).length;
    const bonus = prefersDecisions && isDecision.test(text) ? 1 : 0;
    const score = 2 * shared + near + bonus + (decides.test(text) ? 1 : 0);
    if (score >= minScore && shared + near >= needed && decides.test(text))
      scored.push({ line, text: visibleLine(text), score });
  }
  const best = scored.toSorted((a, b) => b.score - a.score || a.line - b.line).slice(0, max.quoted);
  return best.toSorted((a, b) => a.line - b.line).map(({ line, text }) => ({ line, text }));
}

/** Returns whether a line is a whole statement that says something. */
function isQuotable(text: string): boolean {
  if (text.length < 8 || text.length > max.length || isTorn(text)) return false;
  return !isComment.test(text) && !isEmptyStart.test(text) && !isDeclaration.test(text);
}

/** Returns whether a statement goes on in the next line: a bracket or a quotation is not closed. */
function isTorn(text: string): boolean {
  const count = (mark: string): number => text.split(mark).length - 1;
  if (count('(') !== count(')') || count('[') !== count(']')) return true;
  return count('"') % 2 === 1 || count('`') % 2 === 1;
}
