import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { maxLineLength } from '../sources/excerpt.ts';
import { splitWords } from '../text/split-words.ts';

/** A section of a document, up to the next heading. Lines are 1-based and inclusive. */
export interface Section {
  readonly heading: string;
  readonly startLine: number;
  readonly endLine: number;
  /** Higher is better; comparable within one document set. */
  readonly score: number;
}

/** A document whose sections are compared. */
export interface Document {
  readonly path: string;
  readonly lines: readonly string[];
  /** Factor of the scores of its sections. */
  readonly weight: number;
}

const max = { lines: 8000, heading: 120 } as const;
const weight = { heading: 3, path: 1, body: 1 } as const;
/** Minimum share of the words of a question that a section must have. */
const minCoverage = 0.6;
/** Four tildes or more underline a title. */
const fence = /^\s*(?:```|~~~(?!~))/u;
const underline = /^(?:={3,}|-{3,}|~{3,}|\^{3,})\s*$/u;
const hasSample = /^[\t ]*(?:```|~~~)|::\s*$|^[\t ]{4,}\S|^[\t ]*>>> /mu;

/** Finds the section of each document that fits a question best, the best one first. */
export function rankSections<Of extends Document>(
  documents: readonly Of[],
  terms: readonly string[],
): readonly (Section & { readonly document: Of })[] {
  const wanted = [...new Set(terms.flatMap(splitWords))];
  const read = documents.flatMap((document) =>
    sectionsOf(document.lines).map((section) => ({
      ...section,
      document,
      words: wordsOf(document, section),
    })),
  );
  const idf = new Map(
    wanted.map((word) => {
      const count = read.filter(({ words }) => words.body.has(word)).length;
      return [word, Math.log(1 + (read.length - count + 0.5) / (count + 0.5))] as const;
    }),
  );
  const sum = (words: Iterable<string>): number => {
    let total = 0;
    for (const word of words) total += idf.get(word) ?? 0;
    return total;
  };
  const scored = read.flatMap(({ words: { heading, path, body, sample }, ...section }) => {
    const has = (list: ReadonlySet<string>): string[] => wanted.filter((word) => list.has(word));
    const covered = wanted.filter((word) => heading.has(word) || path.has(word) || body.has(word));
    if (sum(covered) < minCoverage * sum(wanted) || covered.length === 0) return [];
    const named = has(heading);
    const precision = named.length / Math.max(1, heading.size);
    const points =
      weight.heading * sum(named) * (0.5 + 0.5 * precision) +
      weight.path * sum(has(path)) +
      weight.body * sum(has(body));
    return [{ ...section, score: points * (sample ? 1.15 : 1) * section.document.weight }];
  });
  return scored.toSorted((a, b) => b.score - a.score);
}

function wordsOf(
  { path, lines }: Document,
  { heading, startLine, endLine }: Omit<Section, 'score'>,
): Readonly<Record<'heading' | 'path' | 'body', ReadonlySet<string>>> & { readonly sample: boolean } {
  const text = lines
    .slice(startLine - 1, endLine)
    .map((line) => line.slice(0, maxLineLength))
    .join('\n');
  const [heads, paths, bodies] = [heading, path, text].map((one) => new Set(splitWords(one)));
  const none = new Set<string>();
  return { heading: heads ?? none, path: paths ?? none, body: bodies ?? none, sample: hasSample.test(text) };
}

/** Splits a document at its headings: `# Title`, `== Title`, or a title that is underlined. */
function sectionsOf(lines: readonly string[]): readonly Omit<Section, 'score'>[] {
  const starts: { heading: string; startLine: number }[] = [];
  let isFenced = false;
  for (const [at, whole] of lines.slice(0, max.lines).entries()) {
    const line = whole.slice(0, maxLineLength);
    if (fence.test(line)) isFenced = !isFenced;
    if (isFenced) continue;
    const marked = /^(?:#{1,6}|={2,6})\s+(\S.*)$/u.exec(line)?.[1];
    const isTitle = /^[\w`*"]/u.test(line) && underline.test((lines[at + 1] ?? '').slice(0, maxLineLength));
    const heading = (marked ?? (isTitle ? line : '')).replace(/[\s#=]{1,20}$/u, '').trim();
    if (heading !== '')
      starts.push({ heading: visibleLine(heading.slice(0, max.heading)), startLine: at + 1 });
  }
  return starts.map((start, index) => ({
    ...start,
    endLine: (starts[index + 1]?.startLine ?? lines.length + 1) - 1,
  }));
}
