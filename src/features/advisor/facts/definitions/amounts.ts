import { shorten, visibleLine } from '../../../../foundation/kernel/text/visible-text.ts';
import { listSentence, type Sentence } from '../../answer/statements.ts';
import { maxLineLength, maxLinesExamined } from '../../sources/excerpt.ts';
import type { Body } from '../../sources/focus-line.ts';
import { inlineCode } from '../../text/markdown.ts';
import { stemsOf } from '../../text/split-words.ts';
import { type Inquiry, placeText } from '../inquiry.ts';
import type { FilePlace } from '../targets/file-lines.ts';
import { isTestPath } from '../test-path.ts';
import { type FoundUse, findUses } from '../uses/find-uses.ts';

/** Asks how much of something: a number answers it. */
export const asksForAmount =
  /\bhow (?:many|long|large|big|much|often|wide|far|deep|high|small|few|fast|slow|old|late|soon|short)\b|\b(?:what|which) (?:size|width|length|number|amount|interval|period|age|depth|level|time-?out|limit|threshold)\b/iu;

/** The numbers in the body of a definition, and the names that may hold some. */
export interface Amounts {
  /** Statements with a number, in their order. */
  readonly lines: readonly { readonly line: number; readonly text: string }[];
  /** Names that it reads and that may hold a number: those of limits and of the question, the likeliest first. */
  readonly names: readonly string[];
}

const max = { lines: 2, names: 3, length: 120 } as const;
const bounds = new Set(
  stemsOf(
    'limit max maximum min minimum size timeout interval threshold default count width ttl age delay times lifetime length depth level capacity',
  ),
);
/** A number other than 0 and 1 that is given, compared or passed. */
const hasNumber = /(?:[=<>?:|(,[*+/-]|return|\bor)\s*-?(?:[2-9]|\d[\d_]+|\d*\.\d+)\b/u;
const isComment = /^(?:\/\/|\/\*|\*|#|--\s|"""|''')/u;
/** A name as in code that is not called. */
const name = /(?<![\w$])[A-Za-z_$][\w$]{2,60}(?![\w$]|\s?\()/gu;

/** Reads the numbers of a body, and the names in it that may hold one, by the words of a question. */
export function amountsIn({ lines, from, to }: Body, terms: readonly string[]): Amounts {
  const wanted = new Set(terms.flatMap(stemsOf));
  const found: { line: number; text: string; score: number }[] = [];
  const names = new Map<string, number>();
  for (let line = from; line <= Math.min(to, from + maxLinesExamined); line++) {
    const text = (lines[line - 1] ?? '').slice(0, maxLineLength).trim();
    if (isComment.test(text)) continue;
    const words = new Set(stemsOf(text));
    const shared = [...words].filter((word) => wanted.has(word)).length;
    const isBound = [...words].some((word) => bounds.has(word));
    if (hasNumber.test(text) && text.length <= max.length && (shared > 0 || isBound))
      found.push({ line, text: visibleLine(text), score: 2 * shared + (isBound ? 1 : 0) });
    for (const [one] of line === from ? [] : text.matchAll(name)) {
      const own = stemsOf(one);
      const asked = own.filter((word) => wanted.has(word)).length;
      const likelihood = asked + (own.some((word) => bounds.has(word)) ? 1.5 : 0);
      if (own.length > 1 && likelihood > 0) names.set(one, likelihood);
    }
  }
  const best = found.toSorted((a, b) => b.score - a.score || a.line - b.line).slice(0, max.lines);
  return {
    lines: best.toSorted((a, b) => a.line - b.line).map(({ line, text }) => ({ line, text })),
    names: [...names]
      .toSorted((a, b) => b[1] - a[1])
      .slice(0, max.names)
      .map(([one]) => one),
  };
}

/** Says which numbers a definition contains, and which ones the names that it reads are given. */
export async function amountSentences(
  inquiry: Inquiry,
  file: FilePlace & { readonly amounts?: Amounts },
): Promise<readonly Sentence[]> {
  if (file.amounts === undefined) return [];
  const { lines, names } = file.amounts;
  const own = lines.map(({ line, text }): Sentence => [`${inlineCode(text)} (line ${line})`]);
  const given = await Promise.all(names.map((one) => givenTo(inquiry, one, file)));
  const told = new Set(lines.map(({ line }) => `${file.path}:${line}`));
  const values = given.flatMap((one): readonly Sentence[] => {
    const place = one === undefined ? '' : `${one.use.source.path}:${one.use.source.line}`;
    if (one === undefined || told.has(place)) return [];
    told.add(place);
    const { source, text } = one.use;
    const line = inlineCode(shorten(text, max.length));
    return [[`${inlineCode(one.name)} is set at ${placeText(inquiry, source)}`, source, `: ${line}.`]];
  });
  return [...listSentence('The numbers in it: ', own), ...values];
}

/** Returns the line that gives a name a number, one of the same file before others; `undefined` without one. */
async function givenTo(
  inquiry: Inquiry,
  one: string,
  { repositoryId, path }: FilePlace,
): Promise<{ readonly name: string; readonly use: FoundUse } | undefined> {
  const given = (await findUses(inquiry, one)).filter(
    ({ kinds, text, source }) =>
      (kinds.has('set') || kinds.has('definition')) &&
      source.repositoryId === repositoryId &&
      !isTestPath(source.path) &&
      /\d/u.test(text.replaceAll(one, '')),
  );
  const use = given.find(({ source }) => source.path === path) ?? given[0];
  return use && { name: one, use };
}
