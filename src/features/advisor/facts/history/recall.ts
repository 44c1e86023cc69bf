import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import { openPauses } from '../../../../foundation/kernel/limits/pauses.ts';
import type { Purpose } from '../../question/asked-change.ts';
import type { Inquiry } from '../inquiry.ts';
import { isProductFile } from '../test-path.ts';
import { type AskedWord, askedWords, searchedWords } from './asked-words.ts';
import type { LinesAsked } from './lines-asked.ts';
import { changeOf, type MessageChange, readSourcePast } from './past.ts';
import { isMechanical } from './purpose.ts';
import type { RecalledChange } from './weigh-changes.ts';

/** The commits that a question may mean. */
export interface Recalled {
  readonly words: readonly AskedWord[];
  readonly candidates: readonly RecalledChange[];
  /** False if messages of old commits were not searched, because of the time. */
  readonly whole: boolean;
}

/** Number of repositories that are searched, and of files whose commits are preferred. */
const max = { repositories: 3, files: 12 } as const;
/** The share of the score of the best file from which the history of a repository is searched. */
const minFile = 0.4;
/** Factor of the rating of a file for a commit of a file with the same name elsewhere, such as before a move. */
const movedFactor = 0.8;
/** How much less likely each older commit of some lines is meant, down to a least. */
const older = { step: 0.1, least: 0.5 } as const;
/** Factor of the commit that began some lines if a change of them is asked for, and of the others for the beginning. */
const otherEndFactor = 0.5;
/** Factor of all commits of some lines if the question does not say what was done. */
const anyFactor = 0.8;

/**
 * Collects the commits whose messages have words of the question, and those of some lines, with how well the files and
 * lines that they touched fit the question.
 */
export async function recallChanges(
  inquiry: Inquiry,
  lines: readonly LinesAsked[],
  purpose: Purpose,
): Promise<Recalled> {
  const words = askedWords(inquiry);
  const [said, touched] = await Promise.all([
    saidChanges(inquiry, searchedWords(words)),
    Promise.all(lines.map((one) => changesOfLines(inquiry, one, purpose))),
  ]);
  const rateOf = placeRater(inquiry, lines);
  const found = new Map<string, RecalledChange>();
  for (const { repository, changes } of said.found)
    for (const change of changes) {
      const place = Math.max(0, ...change.paths.map((path) => rateOf(repository, path)));
      found.set(change.node.key, { change, place, lines: 0 });
    }
  for (const one of touched.flat()) {
    const known = found.get(one.change.node.key);
    found.set(one.change.node.key, {
      change: known?.change ?? one.change,
      place: Math.max(known?.place ?? 0, one.place),
      lines: Math.max(known?.lines ?? 0, one.lines),
    });
  }
  return { words, candidates: [...found.values()], whole: said.whole };
}

interface SaidChanges {
  readonly found: readonly {
    readonly repository: RepositoryId;
    readonly changes: readonly MessageChange[];
  }[];
  readonly whole: boolean;
}

async function saidChanges(inquiry: Inquiry, words: readonly string[]): Promise<SaidChanges> {
  if (words.length === 0) return { found: [], whole: true };
  const pasts = await Promise.all(
    repositoriesOf(inquiry).map(async (repository) => ({
      repository,
      past: await readSourcePast(inquiry, { repository, path: '', words }),
    })),
  );
  const found: { repository: RepositoryId; changes: MessageChange[] }[] = [];
  const pause = openPauses();
  for (const { repository, past } of pasts) {
    const changes: MessageChange[] = [];
    for (const change of past?.changes ?? []) {
      changes.push(changeOf(change, repository));
      await pause();
    }
    found.push({ repository, changes });
  }
  return { found, whole: pasts.every(({ past }) => past?.whole === true) };
}

/** Returns the repositories that the question names, or else those of the best files. */
function repositoriesOf({ ranked }: Inquiry): readonly RepositoryId[] {
  const best = Math.max(0, ...ranked.files.map(({ score }) => score));
  const good = ranked.files.filter(({ score }) => score >= best * minFile);
  const ids =
    ranked.named.length > 0 ? ranked.named.map(({ id }) => id) : good.map(({ repository }) => repository);
  return [...new Set(ids)].slice(0, max.repositories);
}

/** Returns the commits of some lines, newer ones as more likely ones; the first one if the beginning is asked for. */
async function changesOfLines(
  inquiry: Inquiry,
  { repository, path, startLine, endLine, weight }: LinesAsked,
  purpose: Purpose,
): Promise<readonly RecalledChange[]> {
  const past = await readSourcePast(inquiry, { repository, path, lines: { startLine, endLine } });
  const changes = (past?.changes ?? []).map((change) => changeOf(change, repository));
  const substantial = changes.filter(({ node }) => !isMechanical(node.name, inquiry.asked));
  return substantial.map((change, at) => {
    const begins = past?.whole === true && at === substantial.length - 1;
    return { change, place: Math.min(1, weight), lines: weight * endFactor(purpose, begins, at) };
  });
}

/** Returns how likely a commit of some lines is meant by what it did to them, and by how many came after it. */
function endFactor(purpose: Purpose, begins: boolean, at: number): number {
  if (purpose === 'any') return anyFactor;
  if (begins !== (purpose === 'first')) return otherEndFactor;
  return begins ? 1 : Math.max(older.least, 1 - older.step * at);
}

/** Returns a function that rates a path, also of the past, by the code ranking: 1 for the best file. */
function placeRater(
  { ranked }: Inquiry,
  lines: readonly LinesAsked[],
): (repository: RepositoryId, path: string) => number {
  const files = ranked.files.filter(isProductFile).slice(0, max.files);
  const best = Math.max(1e-9, ...files.map(({ score }) => score));
  const rated = [
    ...lines.map(({ repository, path, weight }) => ({ repository, path, rate: weight })),
    ...files.map(({ repository, path, score }) => ({ repository, path, rate: score / best })),
  ].toSorted((a, b) => b.rate - a.rate);
  const known = new Map<string, number>();
  return (repository, path) => {
    const key = `${repository}:${path}`;
    const rate =
      known.get(key) ??
      Math.max(
        0,
        ...rated.map((one) => (one.repository === repository ? one.rate * samePlace(one.path, path) : 0)),
      );
    known.set(key, rate);
    return rate;
  };
}

/** Names that files of many folders have. */
const commonName =
  /^(?:index|main|mod|lib|utils?|helpers?|types?|__init__|__main__|init|base|common|doc)\./iu;

/** Returns how likely two paths are those of one file: files move, but rarely change their names. */
function samePlace(path: string, former: string): number {
  if (path === former) return 1;
  const [a, b] = [path.split('/'), former.split('/')];
  if (a.at(-1) !== b.at(-1)) return 0;
  return !commonName.test(a.at(-1) ?? '') || (a.length > 1 && a.at(-2) === b.at(-2)) ? movedFactor : 0;
}
