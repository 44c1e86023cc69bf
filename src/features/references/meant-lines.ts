import { fileClassOf, languageOf } from '../../backends/codesearch/port.ts';
import { compareText } from '../../foundation/kernel/text/compare-text.ts';
import { fileKey } from '../knowledge/links/keys.ts';
import type { DefinedName } from '../knowledge/queries/file-definitions.ts';
import type { NamedSearchable } from '../repositories/named-repositories.ts';
import type { FileLines } from './name-lines.ts';
import type { Meaning, NameMeanings } from './name-meanings.ts';

/** A line with the meaning of the name in it. */
export interface MeantLine {
  readonly file: Pick<FileLines, 'repositoryId' | 'repository' | 'path' | 'language'> &
    Partial<Pick<FileLines, 'commit'>>;
  readonly line: number;
  readonly isDefinition: boolean;
  readonly isTest: boolean;
  /** True if the line uses a definition under another name. */
  readonly isOtherName: boolean;
  readonly meaning: Meaning;
}

export interface MeantLines {
  /** Definitions, certain uses, possible ones and text, each by repository, path and line. */
  readonly lines: readonly MeantLine[];
  readonly certain: number;
  readonly possible: number;
  readonly text: number;
  /** Number of lines that certainly mean other definitions, which are left out. */
  readonly elsewhere: number;
}

interface Wanted {
  /** The keys of the definitions that are asked for. Default: all. */
  readonly targets: ReadonlySet<string> | undefined;
  readonly repositories: readonly NamedSearchable[];
}

/** Tells what the name means in each line, and leaves out lines that certainly mean another definition. */
export function meantLines(
  files: readonly FileLines[],
  meanings: NameMeanings,
  { targets, repositories }: Wanted,
): MeantLines {
  const byPlace = new Map(files.map((file) => [fileKey(file.repositoryId, file.path), file]));
  const isTarget = ({ key }: DefinedName): boolean => targets?.has(key) ?? true;
  const isWanted = ({ to }: Meaning): boolean => targets === undefined || to.some(isTarget);
  const names = new Map(repositories.map(({ id, name }) => [String(id), { id, name }]));
  const others = meanings
    .otherNames((repositoryId, path) => byPlace.get(fileKey(repositoryId, path))?.lines ?? [])
    .filter(isWanted);
  const othersByFile = Map.groupBy(others, ({ repositoryId, path }) => fileKey(repositoryId, path));
  const lines: MeantLine[] = [];
  let elsewhere = 0;
  const add = (file: MeantLine['file'], own: readonly number[], definitions: ReadonlySet<number>): void => {
    const { repositoryId, path, language } = file;
    const isTest = fileClassOf(path, language) === 'test';
    const found: MeantLine[] = [];
    for (const line of own) {
      const meaning = meanings.at(repositoryId, path, line);
      const known = isWanted(meaning) ? meaning : otherwise(meaning, isTarget);
      if (known === undefined) elsewhere += 1;
      else {
        const isDefinition = definitions.has(line);
        found.push({ file, line, isDefinition, isTest, isOtherName: false, meaning: known });
      }
    }
    for (const { line, ...meaning } of othersByFile.get(fileKey(repositoryId, path)) ?? [])
      found.push({ file, line, isDefinition: false, isTest, isOtherName: true, meaning });
    lines.push(...found.toSorted((one, other) => one.line - other.line));
  };
  for (const file of files) add(file, file.lines, file.definitions);
  const more = [...othersByFile]
    .filter(([place]) => !byPlace.has(place))
    .toSorted(([a], [b]) => compareText(a, b));
  for (const [, [first]] of more) {
    const repository = first && names.get(first.repositoryId);
    if (first === undefined || repository === undefined) continue;
    const { path } = first;
    const file = {
      repositoryId: repository.id,
      repository: repository.name,
      path,
      language: languageOf(path),
    };
    add(file, [], new Set());
  }
  const count = (certainty: Meaning['certainty']): number =>
    lines.filter(({ meaning }) => meaning.certainty === certainty).length;
  return {
    // The most telling lines come first: an agent may read no further page.
    lines: lines.toSorted((one, other) => rankOf(one) - rankOf(other)),
    certain: count('certain'),
    possible: count('possible'),
    text: count('text'),
    elsewhere,
  };
}

/**
 * Returns what a line says of a definition that it does not certainly mean: it may run it instead of another one, or
 * only has its name. Undefined if it certainly means another one.
 */
function otherwise(meaning: Meaning, isTarget: (definition: DefinedName) => boolean): Meaning | undefined {
  const { certainty, may = [] } = meaning;
  const to = may.filter(isTarget);
  if (to.length > 0) return { ...fromOf(meaning), certainty: 'possible', to, reason: 'overrides' };
  return certainty === 'certain' ? undefined : { ...fromOf(meaning), certainty: 'text', to: [] };
}

/** Returns the place of a line in the order of an answer: definitions, certain uses, possible ones, text. */
function rankOf({ isDefinition, meaning: { certainty } }: MeantLine): number {
  return isDefinition ? 0 : ['certain', 'possible', 'text'].indexOf(certainty) + 1;
}

function fromOf({ from }: Meaning): Pick<Meaning, 'from'> {
  return from === undefined ? {} : { from };
}
