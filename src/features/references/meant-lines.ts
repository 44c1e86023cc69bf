import { openPauses } from '../../foundation/kernel/limits/pauses.ts';
import { lowerBound } from '../../foundation/kernel/lower-bound.ts';
import { compareText } from '../../foundation/kernel/text/compare-text.ts';
import { fileKey, placeOfKey } from '../knowledge/links/keys.ts';
import type { DefinedName } from '../knowledge/queries/file-definitions.ts';
import type { NamedSearchable } from '../repositories/named-repositories.ts';
import { type LineList, LineTable, type TableLine } from './line-table.ts';
import type { RepositoryLines } from './name-lines.ts';
import { fromOf, type Meaning, type NameMeanings, type OtherName, unknownMeaning } from './name-meanings.ts';

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
  slice(from: number, to: number): readonly TableLine[];
}

interface Wanted {
  /** The keys of the definitions that are asked for. Default: all. */
  readonly targets: ReadonlySet<string> | undefined;
  readonly repositories: readonly NamedSearchable[];
}

/**
 * Tells what the name means in each line, and leaves out lines that certainly mean another definition. Only the files
 * that the graph or the index knows more of are looked at; other requests go on between them.
 * @throws the reason of `signal`
 */
export async function meantLines(
  lists: readonly RepositoryLines[],
  meanings: NameMeanings,
  { targets, repositories }: Wanted,
  signal: AbortSignal,
): Promise<MeantLines> {
  const pause = openPauses();
  const table = new LineTable();
  const others = otherNames(lists, meanings, targets);
  await pause();
  const meaningsOf = meaningsOfFiles(meanings, targets);
  let elsewhere = 0;
  for (const list of lists) {
    const paths = new Set([...meanings.pathsIn(list.repository), ...list.definitions.keys()]);
    let next = 0;
    for (const path of [...paths].toSorted(compareText)) {
      signal.throwIfAborted();
      const places = placesOf(list, path);
      table.add(list, next, places[0], unknownMeaning);
      const key = fileKey(list.repository, path);
      const file = { path, places, meaningAt: meaningsOf(list, path), others: others.get(key) ?? [] };
      elsewhere += addFile(table, list, file);
      others.delete(key);
      next = places[1];
      await pause();
    }
    table.add(list, next, list.lines.length, unknownMeaning);
  }
  const named = new Map(repositories.map(({ id, name }) => [String(id), { repository: id, name }]));
  for (const each of [...others.values()].flat()) {
    const repository = named.get(each.repositoryId);
    if (repository !== undefined) addOther(table, repository, each);
  }
  const { certain, possible, text } = table.counts;
  return {
    total: certain + possible + text,
    certain,
    possible,
    text,
    elsewhere,
    bytes: table.bytes(),
    slice: (from, to) => table.slice(from, to),
  };
}

/** Returns the lines that use a wanted definition under another name, by their files. */
function otherNames(
  lists: readonly RepositoryLines[],
  meanings: NameMeanings,
  targets: Wanted['targets'],
): Map<string, OtherName[]> {
  const byRepository = new Map(lists.map((list) => [String(list.repository), list]));
  const others = meanings
    .otherNames((repositoryId, path) => {
      const list = byRepository.get(repositoryId);
      return list?.lines.subarray(...placesOf(list, path)) ?? [];
    })
    .filter(({ meaning: { to } }) => targets === undefined || to.some(({ key }) => targets.has(key)));
  return Map.groupBy(others, ({ repositoryId, path }) => fileKey(repositoryId, path));
}

type MeaningAt = (line: number) => Meaning | undefined;

/**
 * Returns what tells the meanings of the lines of a file: `undefined` for a line that certainly means another
 * definition.
 */
function meaningsOfFiles(
  meanings: NameMeanings,
  targets: Wanted['targets'],
): (list: RepositoryLines, path: string) => MeaningAt {
  const wanted = wantedMeaning(targets);
  const places = [...(targets ?? [])].flatMap((key) => placeOfKey(key) ?? []);
  const targetFiles = new Set(places.map(({ repositoryId, path }) => fileKey(repositoryId, path)));
  return ({ repository, definitions }, path) => {
    const meaningAt = meanings.ofFile(repository, path);
    const mayBeTarget = targets === undefined || targetFiles.has(fileKey(repository, path));
    // The graph knows one line of several definitions with one name, the index all of them.
    const otherDefinitions = mayBeTarget ? undefined : definitions.get(path);
    return (line) => {
      const found = wanted(meaningAt?.(line) ?? unknownMeaning);
      const definesOther = otherDefinitions?.has(line) === true && found?.certainty !== 'certain';
      return definesOther ? undefined : found;
    };
  };
}

interface MeantFile {
  readonly path: string;
  /** The place of its first line in the list, and that after its last one. */
  readonly places: readonly [from: number, to: number];
  readonly meaningAt: MeaningAt;
  readonly others: readonly OtherName[];
}

/** Adds the lines of a file in their order; returns the number of those that are left out. */
function addFile(
  table: LineTable,
  list: RepositoryLines,
  { path, places: [from, to], meaningAt, others }: MeantFile,
): number {
  const definitions = list.definitions.get(path);
  let elsewhere = 0;
  let next = 0;
  for (let place = from; place < to; place++) {
    const line = list.lines[place]!;
    for (; others[next] !== undefined && others[next]!.line < line; next++)
      addOther(table, list, others[next]!);
    const meaning = meaningAt(line);
    if (meaning === undefined) elsewhere += 1;
    else table.add(list, place, place + 1, meaning, definitions?.has(line));
  }
  for (const each of others.slice(next)) addOther(table, list, each);
  return elsewhere;
}

function addOther(
  table: LineTable,
  { repository, name, commit }: Pick<LineList, 'repository' | 'name' | 'commit'>,
  { path, line, meaning }: OtherName,
): void {
  const at = commit === undefined ? {} : { commit };
  const list = {
    repository,
    name,
    ...at,
    paths: [path],
    ends: [1],
    lines: [line],
    isOtherName: true,
  } as const;
  table.add(list, 0, 1, meaning);
}

/** Returns the place of the first line of a file, and that after its last line: the same if it has no line. */
function placesOf({ paths, ends }: RepositoryLines, path: string): readonly [from: number, to: number] {
  const index = lowerBound(paths.length, (each) => paths[each]! >= path);
  const from = ends[index - 1] ?? 0;
  return [from, paths[index] === path ? ends[index]! : from];
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
