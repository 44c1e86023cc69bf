import { packPaths, pathAt } from '../../backends/codesearch/port.ts';
import { openPauses } from '../../foundation/kernel/limits/pauses.ts';
import { lowerBound } from '../../foundation/kernel/lower-bound.ts';
import { compareText } from '../../foundation/kernel/text/compare-text.ts';
import { fileKey } from '../knowledge/links/keys.ts';
import type { DefinedName } from '../knowledge/queries/file-definitions.ts';
import type { NamedSearchable } from '../repositories/named-repositories.ts';
import { type LineList, LineTable } from './line-table.ts';
import type { RepositoryLines } from './name-lines.ts';
import { fromOf, type Meaning, type NameMeanings, type OtherName, unknownMeaning } from './name-meanings.ts';
import type { WrittenLines } from './written-lines.ts';

/** The meaning of a name in a line that only has the last part of the qualified name. */
const leftOutMeaning: Meaning = { certainty: 'others', to: [] };

interface Wanted {
  /** The definitions that are asked for. Default: all. */
  readonly targets: readonly DefinedName[] | undefined;
  readonly repositories: readonly NamedSearchable[];
  /** The lines whose text says that they mean these definitions. */
  readonly written?: WrittenLines | undefined;
  /** True to leave out lines of unknown meaning in repositories that define none of the targets. Default: false. */
  readonly leavesOutUnknown?: boolean;
}

/**
 * Tells what the name means in each line, and leaves out lines that certainly mean another definition. Only the files
 * that the graph or the index knows more of are looked at; other requests go on between them.
 * @throws the reason of `signal`
 */
export async function meantLines(
  lists: readonly RepositoryLines[],
  meanings: NameMeanings,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<LineTable> {
  const pause = openPauses();
  const table = new LineTable();
  const otherNames = otherNamesByFile(lists, meanings, wanted);
  await pause();
  const meaningsOf = meaningsOfFiles(meanings, wanted);
  for (const list of lists) {
    const unknown: Meaning = leavesOut(wanted, list) ? leftOutMeaning : unknownMeaning;
    const writtenIn = wanted.written?.get(list.repository)?.keys() ?? [];
    const paths = new Set([...meanings.pathsIn(list.repository), ...list.definitions.keys(), ...writtenIn]);
    let next = 0;
    for (const path of [...paths].toSorted(compareText)) {
      signal.throwIfAborted();
      const places = placesOf(list, path);
      table.add(list, next, places[0], unknown);
      const key = fileKey(list.repository, path);
      const file = { path, places, meaningAt: meaningsOf(list, path), otherNames: otherNames.get(key) ?? [] };
      addFile(table, list, file);
      otherNames.delete(key);
      next = places[1];
      await pause();
    }
    table.add(list, next, list.lines.length, unknown);
  }
  const named = new Map(wanted.repositories.map(({ id, name }) => [String(id), { repository: id, name }]));
  for (const each of [...otherNames.values()].flat()) {
    const repository = named.get(each.repositoryId);
    if (repository !== undefined) addOtherName(table, repository, each);
  }
  return table;
}

/** Returns the lines that use a wanted definition under another name, by their files. */
function otherNamesByFile(
  lists: readonly RepositoryLines[],
  meanings: NameMeanings,
  { targets }: Wanted,
): Map<string, OtherName[]> {
  const isMeant = isOneOf(targets ?? []);
  const byRepository = new Map(lists.map((list) => [String(list.repository), list]));
  const found = meanings
    .otherNames((repositoryId, path) => {
      const list = byRepository.get(repositoryId);
      return list?.lines.subarray(...placesOf(list, path)) ?? [];
    })
    .filter(({ meaning: { to } }) => targets === undefined || to.some(isMeant));
  return Map.groupBy(found, ({ repositoryId, path }) => fileKey(repositoryId, path));
}

function leavesOut(
  { leavesOutUnknown = false, targets = [] }: Wanted,
  { repository }: RepositoryLines,
): boolean {
  return leavesOutUnknown && targets.every(({ repositoryId }) => repositoryId !== String(repository));
}

type MeaningAt = (line: number) => Meaning;

/** Returns what tells the meanings of the lines of a file. */
function meaningsOfFiles(
  meanings: NameMeanings,
  wanted: Wanted,
): (list: RepositoryLines, path: string) => MeaningAt {
  const { targets: to = [], written } = wanted;
  const wantedMeaning = wantedMeanings(wanted);
  const targetFiles = new Set(to.map(({ repositoryId, path }) => fileKey(repositoryId, path)));
  return (list, path) => {
    const { repository, definitions } = list;
    const leavesOutUnknown = leavesOut(wanted, list);
    const meaningAt = meanings.ofFile(repository, path);
    const ownWritten = written?.get(repository)?.get(path);
    const mayBeTarget = wanted.targets === undefined || targetFiles.has(fileKey(repository, path));
    // The graph knows one line of several definitions with one name, the index all of them.
    const otherDefinitions = mayBeTarget ? undefined : definitions.get(path);
    return (line) => {
      const found = wantedMeaning(meaningAt?.(line) ?? unknownMeaning);
      if (found.certainty === 'certain' || found.certainty === 'elsewhere') return found;
      if (otherDefinitions?.has(line) === true) return { ...found, certainty: 'elsewhere' };
      if (ownWritten?.has(line) === true)
        return { ...fromOf(found.from), certainty: 'written', to, reason: 'written' };
      return leavesOutUnknown && found.certainty === 'text' ? { ...found, certainty: 'others' } : found;
    };
  };
}

interface MeantFile {
  readonly path: string;
  /** The place of its first line in the list, and that after its last one. */
  readonly places: readonly [from: number, to: number];
  readonly meaningAt: MeaningAt;
  readonly otherNames: readonly OtherName[];
}

/** Adds the lines of a file in their order, and those that use its definitions under another name. */
function addFile(
  table: LineTable,
  list: RepositoryLines,
  { path, places: [from, to], meaningAt, otherNames }: MeantFile,
): void {
  const definitions = list.definitions.get(path);
  let next = 0;
  for (let place = from; place < to; place++) {
    const line = list.lines[place]!;
    for (; otherNames[next] !== undefined && otherNames[next]!.line < line; next++)
      addOtherName(table, list, otherNames[next]!);
    table.add(list, place, place + 1, meaningAt(line), definitions?.has(line));
  }
  for (const each of otherNames.slice(next)) addOtherName(table, list, each);
}

function addOtherName(
  table: LineTable,
  { repository, name, commit }: Pick<LineList, 'repository' | 'name' | 'commit'>,
  { path, line, meaning }: OtherName,
): void {
  const at = commit === undefined ? {} : { commit };
  const list = {
    repository,
    name,
    ...at,
    paths: packPaths([path]),
    ends: [1],
    lines: [line],
    isOtherName: true,
  } as const;
  table.add(list, 0, 1, meaning);
}

/** Returns the place of the first line of a file, and that after its last line: the same if it has no line. */
function placesOf({ paths, ends }: RepositoryLines, path: string): readonly [from: number, to: number] {
  const index = lowerBound(ends.length, (each) => pathAt(paths, each) >= path);
  const from = ends[index - 1] ?? 0;
  return [from, pathAt(paths, index) === path ? ends[index]! : from];
}

function isOneOf(targets: readonly DefinedName[]): (definition: DefinedName) => boolean {
  const keys = new Set(targets.map(({ key }) => key));
  return ({ key }) => keys.has(key);
}

/** Returns what tells the meaning of a line for the definitions that are asked for: one object for each argument. */
function wantedMeanings({ targets }: Wanted): (meaning: Meaning) => Meaning {
  if (targets === undefined) return (meaning) => meaning;
  const isTarget = isOneOf(targets);
  const known = new Map<Meaning, Meaning>();
  return (meaning) => {
    const wanted = known.get(meaning) ?? (meaning.to.some(isTarget) ? meaning : otherwise(meaning, isTarget));
    known.set(meaning, wanted);
    return wanted;
  };
}

/**
 * Returns what a line says of a definition that it does not certainly mean: it may run it instead of another one, only
 * has its name, or certainly means another one.
 */
function otherwise(meaning: Meaning, isTarget: (definition: DefinedName) => boolean): Meaning {
  const { certainty, from, may = [] } = meaning;
  const to = may.filter(isTarget);
  if (to.length > 0) return { ...fromOf(from), certainty: 'possible', to, reason: 'overrides' };
  return { ...fromOf(from), certainty: certainty === 'certain' ? 'elsewhere' : 'text', to: [] };
}
