import type { RankedDefinition } from '../../../backends/codesearch/port.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { type FileUrls, fileUri } from '../../search/file-url.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import type { CodeSource, Evidence } from '../answer.ts';
import type { Passage } from '../ranking/choose-passages.ts';
import { firstSentence, paragraphOf, proseOf } from '../text/first-sentence.ts';
import { rarityAmong } from '../text/rarity.ts';
import { splitWords, stemsOf } from '../text/split-words.ts';
import { excerptOf } from './excerpt.ts';
import { focusLine } from './focus-line.ts';

/** Describes files of one organization as sources of an answer. */
export interface FileSources {
  readonly urls: FileUrls;
  readonly scope: OrgScope;
  readonly repositories: readonly SearchableRepository[];
  /** Words of the prompt. Of several definitions in a passage, the one whose name has most of them stands for it. */
  readonly terms: readonly string[];
}

/** Returns passages as evidence, best first; none for a repository that was removed meanwhile. */
export function codeEvidence(files: FileSources, passages: readonly Passage[]): Evidence<CodeSource>[] {
  const rarity = rarityAmong(passages.map(({ span }) => new Set(stemsOf(span.text))));
  return passages
    .flatMap((passage) => codeSource(files, passage, rarity))
    .map((source, index) => ({ ...source, rank: index + 1, score: passages[index]?.score ?? 0 }));
}

function codeSource(
  { urls, scope, repositories, terms }: FileSources,
  { file, span, definitions }: Passage,
  rarity: (word: string) => number,
): CodeSource[] {
  const definition = bestNamed(definitions, terms);
  const repository = repositories.find(({ id }) => id === file.repository);
  if (repository === undefined) return [];
  const { path, commit, language, fileClass, reasons } = file;
  const { startLine, endLine } = span;
  const place = { path, commit, startLine, endLine };
  const lines = span.text.split(/\r?\n/u);
  const focus = focusLine({ lines, from: 0, to: lines.length }, terms, rarity);
  const isDocument = fileClass === 'docs' || fileClass === 'readme';
  const heading = isDocument ? headingOf(lines) : undefined;
  const summary = isDocument ? firstSentence(proseOf(lines)) : summaryOf(lines, startLine, definition);
  const named = definition === undefined ? heading : `${definition.kind} ${definition.name}`;
  return [
    {
      kind: isDocument ? 'document' : 'code',
      repositoryId: repository.id,
      repository: repository.name,
      ...place,
      language,
      uri: fileUri(repository.name, place),
      url: urls.file(scope, repository, place),
      title: visibleLine(
        `${named === undefined ? '' : `${named} in `}${repository.name}/${path}:${startLine}-${endLine}`,
      ),
      excerpt: excerptOf(lines),
      ...(focus === undefined ? {} : { focus: startLine + focus - 1 }),
      reasons: reasons.map(visibleLine),
      ...(definition === undefined ? {} : { definition: shownDefinition(definition) }),
      ...(heading === undefined ? {} : { heading }),
      ...(summary === undefined ? {} : { summary }),
    },
  ];
}

function bestNamed(
  definitions: readonly RankedDefinition[],
  terms: readonly string[],
): RankedDefinition | undefined {
  const words = new Set(terms.flatMap(splitWords));
  return definitions.toSorted((a, b) => overlap(b.name, words) - overlap(a.name, words))[0];
}

/** Returns the share of a name's words that are wanted, and a little more for each of them. */
export function overlap(name: string, wanted: ReadonlySet<string>): number {
  const words = splitWords(name);
  const found = words.filter((word) => wanted.has(word)).length;
  return words.length === 0 ? 0 : found / words.length + found / 10;
}

function shownDefinition({ name, kind, line }: RankedDefinition): NonNullable<CodeSource['definition']> {
  return { name: visibleLine(name), kind: kind === 'other' ? 'definition' : kind, line };
}

function summaryOf(
  lines: readonly string[],
  startLine: number,
  definition: RankedDefinition | undefined,
): string | undefined {
  const doc = definition?.doc;
  if (doc === undefined) return undefined;
  const text = lines.slice(Math.max(0, doc.startLine - startLine), Math.max(0, doc.endLine - startLine + 1));
  return firstSentence(paragraphOf(text));
}

/** Returns the first heading of a section: `# Title`, `== Title`, or a title that is underlined. */
function headingOf(lines: readonly string[]): string | undefined {
  for (const [at, line] of lines.slice(0, 4).entries()) {
    // bounded: at most 201 characters (the title is cut)
    const marked = /^(?:#{1,6}|={1,6})\s+(\S.{0,200})$/u.exec(line)?.[1]?.replace(/[\s#=]+$/u, '');
    const isUnderlined = /^(?:={3,}|-{3,}|~{3,}|\^{3,})\s*$/u.test(lines[at + 1] ?? '') && /^\w/u.test(line);
    const heading = marked ?? (isUnderlined ? line.trim() : undefined);
    if (heading !== undefined && heading !== '') return visibleLine(heading.slice(0, 120));
  }
  return undefined;
}
