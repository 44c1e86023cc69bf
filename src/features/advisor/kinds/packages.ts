import { maxPatternLength, type SearchResult } from '../../../backends/codesearch/port.ts';
import {
  isManifest,
  type Manifest,
  manifestPaths,
  maxManifest,
  readManifest,
} from '../../../backends/languages/port.ts';
import { openPauses } from '../../../foundation/kernel/limits/pauses.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { escapePattern } from '../../../foundation/kernel/text/escape-pattern.ts';
import { listed } from '../../../foundation/kernel/text/listed.ts';
import { stopWords } from '../../../foundation/kernel/text/words.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import { linesOf, readText, searchFor } from '../evidence/line-source.ts';
import { type CodeLine, codeSentence, nextCall } from '../evidence/place-source.ts';
import type { Finding, Sentence } from '../finding.ts';
import { askedRepositories, type Inquiry, repositoryWith } from '../inquiry.ts';
import { isNameOf } from '../question/named-repositories.ts';
import { withoutRepositoryWords } from '../question/read-question.ts';
import { inlineCode } from '../text/markdown.ts';

/**
 * Numbers of manifests that one search returns, and that are read of a repository, those nearest to its root first; of
 * repositories whose lines are shown, of names in a list and of packages in a line, and of words that may be names and
 * of those that are none.
 */
const max = {
  files: 400,
  perRepository: 12,
  shown: 8,
  listed: 20,
  packages: 80,
  ofLine: 8,
  names: 8,
  otherWords: 3,
} as const;

/** Words that ask for uses and name nothing that is used. */
const asking = new Set(
  `use uses used using need needs depend depends depending dependency dependencies upon rely relies require requires
  import imports reference references pull pulls package packages library libraries gem gems crate crates npm pypi
  module modules minimum supported required latest version versions hey hi repos repositories services direct directly
  still currently dev development runtime list show`.split(/\s+/u),
);

/** A line of a manifest that asks for a package. */
interface AskedPackage extends CodeLine {
  /** The word of the question that means it. */
  readonly word: string;
  /** Its name in the manifest; absent for a line that only has the word. */
  readonly asked?: string;
  readonly version: string;
  readonly isForDevelopment?: true;
}

/** Answers which repositories ask for packages, or what the named ones ask for, with version and line. */
export async function packagesAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const { question, ranked } = inquiry;
  const { head, kind, asksEvery, packages } = question;
  const words =
    withoutRepositoryWords(head).match(/@?[\p{L}\p{N}_](?:[\p{L}\p{N}_./-]*[\p{L}\p{N}_])?/gu) ?? [];
  const names = [...new Set(words)].filter(
    (word) =>
      !stopWords.has(word.toLowerCase()) && !asking.has(word.toLowerCase()) && !/^v?[\d.]+$/iu.test(word),
  );
  if (packages.list && names.every((name) => repositoryNamed(inquiry, name))) return listAnswer(inquiry);
  if (names.length === 0 || names.length > max.names) return undefined;
  const asksForAll = asksEvery ? packages.uses : packages.users && !isAboutDefinition(inquiry, names);
  if (asksForAll) return await askedOfAll(inquiry, names);
  const asksForOwn = packages.version ? kind !== 'change' : kind === 'exists' && packages.uses;
  const own = askedRepositories(inquiry);
  if (asksEvery || !asksForOwn || (ranked.named.length === 0 && own.length > 1)) return undefined;
  return await askedOfOwn(inquiry, names, own);
}

/** Returns whether the question names a definition, and no repository. */
function isAboutDefinition(inquiry: Inquiry, names: readonly string[]): boolean {
  return inquiry.named.symbols.length > 0 && !names.some((name) => repositoryNamed(inquiry, name));
}

function repositoryNamed({ ranked }: Inquiry, name: string): SearchableRepository | undefined {
  return ranked.repositories.find((one) => isNameOf(one, name));
}

/** States for each name that manifests have which repositories ask for it, and in which version. */
async function askedOfAll(inquiry: Inquiry, names: readonly string[]): Promise<Finding | undefined> {
  const { repositories } = inquiry.ranked;
  const read = await readPackages(inquiry, names, repositories);
  const about = names.flatMap((name) => {
    const own = repositoryNamed(inquiry, name);
    const asks = (read?.asks ?? []).filter((one) => one.word === name && one.repository !== own);
    const first = firstOfEach(asks, ({ repository }) => repository);
    const isSaid = first.length > 0 || (own !== undefined && names.length === 1);
    return isSaid ? [{ name, first }] : [];
  });
  if (read === undefined || about.length === 0 || names.length - about.length > max.otherWords)
    return undefined;
  const points = about.map(({ name, first }) => {
    const using = first.map(({ repository }) => inlineCode(repository.name));
    const list = using.length === 0 ? '' : ` (${listed(using, max.listed)})`;
    return `${inlineCode(name)} in ${using.length}${list}`;
  });
  const all = counted(repositories.length, 'repository', 'repositories');
  return {
    lines: [
      [`Manifests of ${all} ask for ${points.join(', and for ')}.`],
      ...about.flatMap(({ first }) => first.slice(0, max.shown).map((one) => askSentence(inquiry, one))),
    ],
    notes: read.notes,
    next: about.flatMap(({ name }) => nextCall('find_references', { name })),
    passages: 0,
  };
}

/** States what the manifests of some repositories ask for; of a version, also of a compiler or runtime. */
async function askedOfOwn(
  inquiry: Inquiry,
  names: readonly string[],
  own: readonly SearchableRepository[],
): Promise<Finding | undefined> {
  const read = await readPackages(inquiry, names, own);
  if (read === undefined) return undefined;
  const isOther = ({ word, repository }: AskedPackage): boolean =>
    repositoryNamed(inquiry, word) !== repository;
  const asks = read.asks.filter(isOther);
  const isVersion = inquiry.question.packages.version;
  const lines = read.lines.filter((one) => isOther(one) && /\d/u.test(one.text));
  const shown = asks.length > 0 || !isVersion ? asks : lines;
  if (shown.length === 0 && read.notes.length === 0) return undefined;
  return {
    lines:
      shown.length === 0
        ? [[`No manifest that was read asks for ${listed(names.map(inlineCode), max.names)}.`]]
        : shown.slice(0, max.shown).map((one) => askSentence(inquiry, one)),
    notes: read.notes,
    passages: shown.length === 0 ? 4 : 2,
    isSure: asks.length > 0,
  };
}

/**
 * Lists what the manifests of some repositories ask for, or only for development if the question says so. Not every
 * format marks packages for development: if none is marked, the list has all of them and says so.
 */
async function listAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const { named: repositories } = inquiry.ranked;
  if (repositories.length === 0) return undefined;
  const query = { kind: 'regex', source: manifestPaths, caseSensitive: true, field: 'path' } as const;
  const result = await searchFor(inquiry, { query, repositories, limit: max.files });
  if (result === undefined) return undefined;
  const read = await readManifests(inquiry, result);
  const isOfDevelopment = /\bdev/iu.test(inquiry.question.head);
  const marked = isOfDevelopment
    ? read.manifests.map((one) => ({ ...one, asks: one.asks.filter((ask) => ask.isForDevelopment === true) }))
    : [];
  const isMarked = marked.some(({ asks }) => asks.length > 0);
  const found = (isMarked ? marked : read.manifests).filter(({ asks }) => asks.length > 0);
  const use = isMarked ? ' for development' : '';
  const none =
    isOfDevelopment && !isMarked ? 'no manifest that was read marks packages as those for development; ' : '';
  const names = listed(
    repositories.map(({ name }) => inlineCode(name)),
    max.listed,
  );
  const lead = `${names}: ${none}${counted(found.length, 'manifest')} with packages${use}.`;
  return {
    lines: [[lead], ...found.flatMap((one) => listLines(inquiry, one))],
    notes: read.notes,
    passages: 0,
  };
}

/** Returns the first line of a manifest that asks for a package, and its packages in rows. */
function listLines(inquiry: Inquiry, { repository, path, text, asks }: ManifestRead): readonly Sentence[] {
  const line = asks[0]?.line ?? 1;
  const own = { repository, path, line, text: text.split('\n')[line - 1] ?? '' };
  const packages = asks
    .slice(0, max.packages)
    .map(({ name, version }) => inlineCode(`${name} ${version}`.trim()));
  const rows = Array.from({ length: Math.ceil(packages.length / max.ofLine) }, (_, row) => [
    packages.slice(row * max.ofLine, (row + 1) * max.ofLine).join(', '),
  ]);
  const more = asks.length - packages.length;
  const rest = more > 0 ? [[`${more} more`]] : [];
  return [[`${asks.length}, from `, ...codeSentence(inquiry, own, 'manifest')], ...rows, ...rest];
}

function askSentence(inquiry: Inquiry, ask: AskedPackage): Sentence {
  const { repository, word, asked, version, isForDevelopment } = ask;
  const use = isForDevelopment === true ? ' for its development' : '';
  const what =
    asked === undefined ? `has ${inlineCode(word)}` : `asks for ${inlineCode(`${asked} ${version}`.trim())}`;
  return [`${inlineCode(repository.name)} ${what}${use} at `, ...codeSentence(inquiry, ask, 'manifest')];
}

function firstOfEach<Thing>(all: readonly Thing[], keyOf: (one: Thing) => unknown): readonly Thing[] {
  return [...Map.groupBy(all, keyOf).values()].map(([first]) => first!);
}

/** The packages that manifests ask for. */
interface PackagesRead {
  /** Each version of a repository once, those nearest to its root first. */
  readonly asks: readonly AskedPackage[];
  /** The lines of manifests that have one of the names. */
  readonly lines: readonly AskedPackage[];
  /** Sentences about manifests that were left out. */
  readonly notes: readonly string[];
}

/**
 * Reads what manifests ask for of these packages, of those with the name as the last part, and of those that a
 * repository of that name provides; `undefined` if they cannot be searched, because the search was refused or has too
 * many names.
 */
async function readPackages(
  inquiry: Inquiry,
  names: readonly string[],
  repositories: readonly SearchableRepository[],
): Promise<PackagesRead | undefined> {
  const aliases = await aliasesOf(inquiry, names);
  const words = [...aliases.keys()].map(escapePattern).join('|');
  const source = `(?:^|[^\\p{L}\\p{N}_])(?:${words})(?:[^\\p{L}\\p{N}_]|$)`;
  // Repositories choose the names of their packages.
  if (source.length > maxPatternLength) return undefined;
  const operands = [
    { kind: 'regex', source: manifestPaths, caseSensitive: true, field: 'path' },
    { kind: 'regex', source, caseSensitive: false, field: 'content' },
  ] as const;
  const query = { kind: 'and', operands } as const;
  const result = await searchFor(inquiry, { query, repositories, limit: max.files });
  if (result === undefined) return undefined;
  const nearest = linesOf(inquiry, result).toSorted((a, b) => depthOf(a.path) - depthOf(b.path));
  const lines = nearest.flatMap((one) => {
    const text = one.text.toLowerCase();
    // `@types/node` is another package.
    const word = names.find((name) =>
      text.replaceAll(`/${name.toLowerCase()}`, '').includes(name.toLowerCase()),
    );
    return word === undefined || !isManifest(one.path) ? [] : [{ ...one, word, version: '' }];
  });
  const read = await readManifests(inquiry, result);
  const asks = read.manifests.flatMap((one) => asksOf(one, aliases));
  return {
    asks: firstOfEach(asks, ({ repository, word, version }) => `${repository.id} ${word} ${version}`),
    lines,
    notes: read.notes,
  };
}

/** A manifest that was read. */
interface ManifestRead extends Omit<CodeLine, 'line'>, Pick<Manifest, 'asks'> {}

/** Reads the manifests that a search found, of each repository those nearest to its root. */
async function readManifests(
  inquiry: Inquiry,
  result: SearchResult,
): Promise<{ readonly manifests: readonly ManifestRead[]; readonly notes: readonly string[] }> {
  const isCut = result.incomplete !== undefined || result.nextOffset !== undefined;
  const notes = isCut ? ['The search of manifests was cut short, so that some are missing.'] : [];
  const manifests: ManifestRead[] = [];
  const pause = openPauses();
  const found = result.files
    .filter(({ path }) => isManifest(path))
    .toSorted((a, b) => depthOf(a.path) - depthOf(b.path));
  for (const [id, own] of Map.groupBy(found, ({ repository }) => repository)) {
    const repository = repositoryWith(inquiry, id);
    if (repository === undefined) continue;
    const more = own.length - max.perRepository;
    if (more > 0) notes.push(`${counted(more, 'manifest')} more of ${inlineCode(repository.name)} not read.`);
    for (const { path } of own.slice(0, max.perRepository)) {
      await pause();
      const text = await readText(inquiry, repository, path);
      if (text === undefined || text.length > maxManifest)
        notes.push(`${inlineCode(`${repository.name}/${path}`)} is too large to be read as a manifest.`);
      else manifests.push({ repository, path, text, asks: readManifest(path, text)?.asks ?? [] });
    }
  }
  return { manifests, notes };
}

function depthOf(path: string): number {
  return path.split('/').length;
}

/** Returns the names of the question by those of the packages that they mean, in lower case. */
async function aliasesOf(inquiry: Inquiry, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const aliases = new Map(names.map((name) => [name.toLowerCase(), name]));
  for (const name of names) {
    const own = repositoryNamed(inquiry, name);
    for (const provided of own === undefined ? [] : await providedPackages(inquiry, own))
      aliases.set(provided.toLowerCase(), name);
  }
  return aliases;
}

/** Returns what a manifest asks for of some packages. */
function asksOf(
  { repository, path, text, asks }: ManifestRead,
  aliases: ReadonlyMap<string, string>,
): readonly AskedPackage[] {
  const lines = text.split('\n');
  return asks.flatMap(({ name: asked, version, line, ...more }) => {
    const whole = asked.toLowerCase();
    // `@types/node` has the version of the types, and not that of what it describes.
    const last = whole.startsWith('@types/') ? '' : whole.slice(whole.lastIndexOf('/') + 1);
    const word = aliases.get(whole) ?? aliases.get(last);
    const own = { repository, path, line, text: lines[line - 1] ?? '' };
    return word === undefined ? [] : [{ ...own, ...more, word, asked, version }];
  });
}

/** Returns the names of the packages that the first manifests at the root of a repository provide. */
async function providedPackages(
  inquiry: Inquiry,
  repository: SearchableRepository,
): Promise<readonly string[]> {
  const query = { kind: 'regex', source: `^[^/]+$`, caseSensitive: true, field: 'path' } as const;
  const result = await searchFor(inquiry, { query, repositories: [repository], limit: max.files });
  const paths = (result?.files ?? []).map(({ path }) => path).filter(isManifest);
  const names = await Promise.all(
    paths.slice(0, max.perRepository).map(async (path) => {
      const text = (await readText(inquiry, repository, path)) ?? '';
      return readManifest(path, text)?.provides ?? [];
    }),
  );
  return names.flat();
}
