import type { SourceChange } from '../../../../../backends/codesearch/port.ts';
import { joined, type Statements } from '../../../answer/statements.ts';
import { type Inquiry, maxPassages } from '../../inquiry.ts';
import { changeText, timeOf } from '../commits.ts';
import { changeOf, describePast, type MessageChange, readSourcePast } from '../past.ts';
import { isRelease } from '../releases.ts';
import { authorsOf, peopleText, withoutPrograms } from './authors.ts';

/** Number of releases whose authors are counted, and of releases that are named. */
const max = { releases: 12, shown: 2 } as const;
/** Files that name the version of a product, which its releases change. */
const versionFile =
  /^(?:package\.json|pyproject\.toml|setup\.(?:py|cfg)|cargo\.toml|version(?:\.\w+)?|gradle\.properties|pom\.xml|build\.gradle(?:\.kts)?|changelog\.md|history\.md|changes\.rst)$/iu;

/** Returns whether a question for people is about releases. */
export function asksForReleases(asked: string): boolean {
  return /\bwho\b[^?.]{0,60}\breleas(?:e[sd]?|ing)\b|\bwho\b[^?.]{0,40}\bpublish(?:e[sd]|ing)?\b/iu.test(
    asked,
  );
}

/** Answers who makes the releases of a repository, by the commits that make them; nothing if none is known. */
export async function releasePeople(inquiry: Inquiry): Promise<Statements | undefined> {
  const { ranked, deps, scope, signal } = inquiry;
  const repository = (
    ranked.named[0] ?? ranked.repositories.find(({ id }) => id === ranked.files[0]?.repository)
  )?.id;
  if (repository === undefined) return undefined;
  const tree = await deps.sources.listTree(scope, { repository, path: '' }, signal);
  const files = (tree?.entries ?? []).filter(({ path }) => versionFile.test(path)).slice(0, 3);
  const pasts = await Promise.all([
    readSourcePast(inquiry, { repository, path: '', words: ['release', 'version', 'bump'] }),
    ...files.map(({ path }) => readSourcePast(inquiry, { repository, path })),
  ]);
  const found = new Map<string, SourceChange>();
  for (const past of pasts)
    for (const change of past?.changes ?? [])
      if (isRelease(change.message.split('\n', 1)[0] ?? '')) found.set(change.id, change);
  const changes = withoutPrograms([...found.values()].map((change) => changeOf(change, repository)))
    .toSorted((a, b) => timeOf(b.node) - timeOf(a.node))
    .slice(0, max.releases);
  return changes.length === 0 ? undefined : statementsOf(inquiry, changes);
}

async function statementsOf(inquiry: Inquiry, changes: readonly MessageChange[]): Promise<Statements> {
  const people = peopleText(authorsOf(changes));
  const shown = await describePast(inquiry, changes.slice(0, max.shown), 'makes a release');
  const known =
    changes.length === 1 ? 'The only known release commit' : `The last ${changes.length} release commits`;
  return {
    lead: [[`${known} came from `, ...people, '.']],
    reasons: [['The latest: ', ...joined(shown.map(changeText)), '.']],
    sources: inquiry.code.slice(0, maxPassages),
    notes: [],
  };
}
