import { type FileMatch, fileClassOf, type LineMatch } from '../../../../backends/codesearch/port.ts';
import { openPauses } from '../../../../foundation/kernel/limits/pauses.ts';
import { visibleLine } from '../../../../foundation/kernel/text/visible-text.ts';
import type { SearchableRepository } from '../../../search/repositories-in-scope.ts';
import { splitWords } from '../../text/split-words.ts';
import type { Inquiry } from '../inquiry.ts';
import { searchText } from '../search-text.ts';
import { linesOfFile } from '../targets/file-lines.ts';
import { lineSource, type TextSource } from '../text-uses.ts';
import { classifyUse, columnsOf, type UseKind } from './classify-use.ts';
import { linesInBlocks } from './lines-in-blocks.ts';

/** A line that uses a name. */
export interface FoundUse {
  readonly source: TextSource;
  /** The line as written, without its indentation. */
  readonly text: string;
  /** The line after it. */
  readonly next: string;
  readonly kinds: ReadonlySet<UseKind>;
  readonly isCheck: boolean;
  /** True if the index knows the line as the definition of the name. */
  readonly isSymbol: boolean;
  /** Higher is better: code of the product first, then what shares words with the question. */
  readonly score: number;
}

const max = { files: 100, lines: 20, examined: 24 } as const;
/** Number of lines before and after a use that are quoted. */
const around = 2;
const classScores: Readonly<Record<string, number>> = { source: 4, example: 1, data: 1, test: 0, fixture: 0 };

/** Where a name is looked for. */
interface UseSearch {
  /** Those that the question names, or else all. */
  readonly repositories?: readonly SearchableRepository[];
  /** Maximum number of lines. */
  readonly lines?: number;
}

/** Finds the lines of code that use a name as a whole word, best first. Comments and messages are left out. */
export async function findUses(
  inquiry: Inquiry,
  name: string,
  { repositories = searchedBy(inquiry), lines = max.examined }: UseSearch = {},
): Promise<readonly FoundUse[]> {
  const { ranked } = inquiry;
  const result = await searchText(inquiry, {
    text: name,
    caseSensitive: true,
    field: 'content',
    repositories,
    matchesPerFile: max.lines,
    contextLines: around,
    limit: max.files,
  });
  const words = new Set(ranked.subject.terms.filter((term) => term !== name).flatMap(splitWords));
  const order = new Map(ranked.files.map(({ repository, path }, index) => [`${repository}:${path}`, index]));
  const reason = `uses ${visibleLine(name)}`;
  const usesIn = (file: FileMatch): readonly FoundUse[] => {
    const fileClass = fileClassOf(file.path, file.language);
    const classScore = classScores[fileClass];
    if (classScore === undefined) return [];
    const rank = order.get(`${file.repository}:${file.path}`) ?? max.files;
    return file.matches.flatMap((match): FoundUse[] => {
      const uses = columnsOf(match.text, name).map((column) => classifyUse(match.text, column, name));
      const known = uses.filter(({ kind }) => kind !== 'text' && kind !== 'import');
      const source = lineSource(inquiry, file, match, reason);
      if (known.length === 0 || source === undefined) return [];
      const nearby = splitWords([file.path, match.text, ...match.before, ...match.after].join(' '));
      const shared = new Set(nearby.filter((word) => words.has(word))).size;
      const isSymbol = match.symbol?.name === name;
      const bonus = uses.some(({ isAssertion }) => isAssertion)
        ? -3
        : uses.some(({ isCheck }) => isCheck)
          ? 0.5
          : 0;
      return [
        {
          source,
          text: visibleLine(match.text.trim()),
          next: visibleLine(match.after[0]?.trim() ?? ''),
          kinds: new Set(isSymbol ? ['definition'] : known.map(({ kind }) => kind)),
          isCheck: known.some(({ isCheck }) => isCheck) || isPartOfCondition(match),
          isSymbol,
          score: classScore + shared + 1 / (1 + rank) + bonus,
        },
      ];
    });
  };
  const found: FoundUse[] = [];
  const pause = openPauses();
  for (const file of result?.files ?? []) {
    found.push(...usesIn(file));
    await pause();
  }
  return withoutProse(inquiry, found.toSorted((a, b) => b.score - a.score).slice(0, lines));
}

function searchedBy({ ranked }: Inquiry): readonly SearchableRepository[] {
  return ranked.named.length > 0 ? ranked.named : ranked.repositories;
}

/** Returns whether a line without an end continues a condition of the lines around it. */
function isPartOfCondition({ text, before, after }: LineMatch): boolean {
  if (/[;,]\s*$/u.test(text)) return false;
  const opens = /(?:\b(?:if|elif|while|and|or|not)|&&|\|\||\bif\s*\()\s*(?:\(\s*)?$/u;
  return opens.test(before.at(-1) ?? '') || /^\s*(?:and\b|or\b|&&|\|\|)/u.test(after[0] ?? '');
}

/** Leaves out the lines of block comments and docstrings, which only the whole file shows. */
async function withoutProse(inquiry: Inquiry, uses: readonly FoundUse[]): Promise<readonly FoundUse[]> {
  const files = new Map(uses.map(({ source }) => [`${source.repositoryId}:${source.path}`, source]));
  const prose = new Map<string, ReadonlySet<number>>();
  await Promise.all(
    [...files].map(async ([key, file]) => {
      prose.set(key, linesInBlocks(await linesOfFile(inquiry, file)));
    }),
  );
  return uses.filter(({ source }) => !prose.get(`${source.repositoryId}:${source.path}`)?.has(source.line));
}
