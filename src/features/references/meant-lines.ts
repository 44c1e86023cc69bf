import { fileClassOf, languageOf } from '../../backends/codesearch/port.ts';
import { openPauses } from '../../foundation/kernel/limits/pauses.ts';
import { compareText } from '../../foundation/kernel/text/compare-text.ts';
import { fileKey } from '../knowledge/links/keys.ts';
import type { DefinedName } from '../knowledge/queries/file-definitions.ts';
import type { NamedSearchable } from '../repositories/named-repositories.ts';
import { LineTable, type TableFile, type TableLine } from './line-table.ts';
import type { FileLines } from './name-lines.ts';
import { fromOf, type Meaning, type NameMeanings, type OtherName, unknownMeaning } from './name-meanings.ts';

export interface MeantLine extends TableLine {
  readonly isTest: boolean;
}

export interface MeantLines {
  readonly total: number;
  readonly certain: number;
  readonly possible: number;
  readonly text: number;
  /** Number of lines that certainly mean other definitions, which are left out. */
  readonly elsewhere: number;
  /** Size in memory, roughly. */
  readonly bytes: number;
  /**
   * Returns the lines from one position to another: definitions, certain uses, possible ones and text, each by
   * repository, path and line. The most telling ones come first, because an agent may read no further page.
   */
  slice(from: number, to: number): readonly MeantLine[];
}

interface Wanted {
  /** The keys of the definitions that are asked for. Default: all. */
  readonly targets: ReadonlySet<string> | undefined;
  readonly repositories: readonly NamedSearchable[];
}

/**
 * Tells what the name means in each line, and leaves out lines that certainly mean another definition. Other requests
 * go on between the files.
 * @throws the reason of `signal`
 */
export async function meantLines(
  files: readonly FileLines[],
  meanings: NameMeanings,
  { targets, repositories }: Wanted,
  signal: AbortSignal,
): Promise<MeantLines> {
  const pause = openPauses();
  const byKey = new Map(files.map((file) => [file.key, file]));
  const wanted = wantedMeaning(targets);
  const others = meanings
    .otherNames((repositoryId, path) => byKey.get(fileKey(repositoryId, path))?.lines ?? [])
    .filter(({ meaning: { to } }) => targets === undefined || to.some(({ key }) => targets.has(key)));
  const othersByFile = Map.groupBy(others, ({ repositoryId, path }) => fileKey(repositoryId, path));
  await pause();
  const table = new LineTable();
  let elsewhere = 0;
  const add = (file: TableFile, lines: readonly number[], definitions: ReadonlySet<number>): void => {
    const meaningAt = meanings.ofFile(file.key);
    const renamed = othersByFile.get(file.key) ?? [];
    if (meaningAt === undefined && renamed.length === 0 && definitions.size === 0) {
      // Most files of a frequent word are unknown to the graph.
      table.addAll(file, lines, unknownMeaning);
      return;
    }
    for (const each of inOrder(lines, renamed)) {
      if (typeof each !== 'number') {
        table.add({ file, line: each.line, meaning: each.meaning, isDefinition: false, isOtherName: true });
        continue;
      }
      const meaning = wanted(meaningAt?.(each) ?? unknownMeaning);
      if (meaning === undefined) elsewhere += 1;
      else table.add({ file, line: each, meaning, isDefinition: definitions.has(each), isOtherName: false });
    }
  };
  for (const file of files) {
    signal.throwIfAborted();
    add(file, file.lines, file.definitions);
    await pause();
  }
  for (const file of filesOf(others, repositories)) if (!byKey.has(file.key)) add(file, [], new Set());
  return {
    total: table.length,
    certain: table.count('certain'),
    possible: table.count('possible'),
    text: table.count('text'),
    elsewhere,
    bytes: table.bytes(),
    slice: (from, to) => table.slice(from, to).map((line) => ({ ...line, isTest: isTestFile(line.file) })),
  };
}

/** Returns the lines of a file that have the name, and those that use it under another one, in ascending order. */
function inOrder(lines: readonly number[], others: readonly OtherName[]): readonly (number | OtherName)[] {
  if (others.length === 0) return lines;
  return [...lines, ...others].toSorted((one, other) => lineOf(one) - lineOf(other));
}

function lineOf(each: number | OtherName): number {
  return typeof each === 'number' ? each : each.line;
}

/** Returns the files of some lines, by key. */
function filesOf(
  lines: readonly OtherName[],
  repositories: readonly NamedSearchable[],
): readonly TableFile[] {
  const byId = new Map(repositories.map(({ id, name }) => [String(id), { id, name }]));
  const files = new Map(lines.map((each) => [fileKey(each.repositoryId, each.path), each]));
  return [...files]
    .toSorted(([one], [other]) => compareText(one, other))
    .flatMap(([key, { repositoryId, path }]) => {
      const known = byId.get(repositoryId);
      return known === undefined
        ? []
        : [{ key, repositoryId: known.id, repository: known.name, path, language: languageOf(path) }];
    });
}

function isTestFile({ path, language }: TableFile): boolean {
  return fileClassOf(path, language) === 'test';
}

/**
 * Returns what tells the meaning of a line for the definitions that are asked for; `undefined` for a line that certainly
 * means another one. Equal arguments have the same answer.
 */
function wantedMeaning(targets: ReadonlySet<string> | undefined): (meaning: Meaning) => Meaning | undefined {
  if (targets === undefined) return (meaning) => meaning;
  const isTarget = ({ key }: DefinedName): boolean => targets.has(key);
  const known = new Map<Meaning, Meaning | undefined>();
  return (meaning) => {
    if (!known.has(meaning))
      known.set(meaning, meaning.to.some(isTarget) ? meaning : otherwise(meaning, isTarget));
    return known.get(meaning);
  };
}

/**
 * Returns what a line says of a definition that it does not certainly mean: it may run it instead of another one, or
 * only has its name. Undefined if it certainly means another one.
 */
function otherwise(meaning: Meaning, isTarget: (definition: DefinedName) => boolean): Meaning | undefined {
  const { certainty, from, may = [] } = meaning;
  const to = may.filter(isTarget);
  if (to.length > 0) return { ...fromOf(from), certainty: 'possible', to, reason: 'overrides' };
  return certainty === 'certain' ? undefined : { ...fromOf(from), certainty: 'text', to: [] };
}
