import { maxPatternLength } from '../../../backends/codesearch/port.ts';
import { requiredLanguage } from '../../../backends/languages/port.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { escapePattern } from '../../../foundation/kernel/text/escape-pattern.ts';
import { stopWords } from '../../../foundation/kernel/text/words.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import { lineOf, type ManifestRead, type ManifestsRead, readManifests } from '../evidence/manifests.ts';
import { type CodeLine, codeSentence, nextCall } from '../evidence/place-source.ts';
import type { Finding, Sentence } from '../finding.ts';
import { askedRepositories, type Inquiry } from '../inquiry.ts';
import { isNameOf } from '../question/named-repositories.ts';
import { withoutRepositoryWords } from '../question/read-question.ts';
import { codeList, inlineCode, namesOf } from '../text/markdown.ts';

/**
 * Numbers of repositories, manifests and lines that are shown, of names in a list, of packages of a manifest and in a
 * line, of words that may be names and of those that are none, and of lines that require a language.
 */
const max = { shown: 8, listed: 20, packages: 80, ofLine: 8, names: 8, others: 3, required: 3 } as const;

/** Words that ask for uses and name nothing that is used. */
const asking = new Set(
  [
    'use uses used using need needs depend depends depending dependency dependencies upon rely relies require requires',
    'import imports reference references pull pulls package packages library libraries gem gems crate crates npm pypi',
    'module modules minimum supported required latest version versions hey hi repos repositories services direct',
    'directly still currently dev development runtime list show',
  ].flatMap((line) => line.split(' ')),
);

/** Answers which repositories ask for packages, or what the named ones ask for, with version and line. */
export async function packagesAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const { head, asksEvery, packages } = inquiry.question;
  const words =
    withoutRepositoryWords(head).match(/@?[\p{L}\p{N}_](?:[\p{L}\p{N}_./-]*[\p{L}\p{N}_])?/gu) ?? [];
  const names = [...new Set(words)].filter((word) => {
    const lower = word.toLowerCase();
    return !stopWords.has(lower) && !asking.has(lower) && /[^v\d.]/u.test(lower);
  });
  const namesRepository = (name: string): boolean => repositoryNamed(inquiry, name) !== undefined;
  if (packages.list && names.every(namesRepository)) return listAnswer(inquiry);
  if (names.length === 0 || names.length > max.names) return undefined;
  if (asksEvery) return packages.uses ? askedOfAll(inquiry, names) : undefined;
  if (packages.users) return usersAnswer(inquiry, names);
  if (!asksForOwn(inquiry.question)) return undefined;
  return (await ofLanguage(inquiry, names)) ?? askedOfOwn(inquiry, names);
}

/** States what uses packages, in all repositories or the named ones; a question for the uses of a definition is none. */
async function usersAnswer(inquiry: Inquiry, names: readonly string[]): Promise<Finding | undefined> {
  const { named, isCertain } = inquiry.ranked;
  const used = isCertain ? names.filter((name) => !named.some((one) => isNameOf(one, name))) : names;
  const isOfPackages = used.every((name) => repositoryNamed(inquiry, name) !== undefined);
  if (used.length > 0 && used.length < names.length)
    return isOfPackages ? askedOfOwn(inquiry, names) : undefined;
  const isOfCode = inquiry.named.symbols.length > 0 && !names.some((name) => repositoryNamed(inquiry, name));
  return isOfCode ? undefined : askedOfAll(inquiry, names);
}

/** States what the manifests of each repository that are nearest to its root require of a language or runtime. */
async function ofLanguage(inquiry: Inquiry, names: readonly string[]): Promise<Finding | undefined> {
  const asked = askedRepositories(inquiry);
  const { version, uses } = inquiry.question.packages;
  // "On which versions of Node do hono and express run their tests" is no question for manifests.
  if (!version || (asked.length > 1 && !(inquiry.ranked.isCertain && uses))) return undefined;
  const languages = names.map((name) => name.toLowerCase().replace(/lang$|\.?js$/u, ''));
  const { manifests = [], notes = [] } = (await readManifests(inquiry, asked.slice(0, max.shown))) ?? {};
  const lines = manifests.flatMap((manifest) =>
    manifest.texts.flatMap((text, at) =>
      languages.includes(requiredLanguage(text) ?? '') ? [lineOf(manifest, at + 1)] : [],
    ),
  );
  const ofEach = Map.groupBy(lines, ({ repository }) => repository);
  const sentences = [...ofEach].flatMap(([{ name }, own]) => {
    const byDepth = Map.groupBy(own, ({ path }) => path.split('/').length);
    const nearest = byDepth.get(Math.min(...byDepth.keys())) ?? [];
    const stated = firstOfEach(nearest, ({ text }) => text.trim()).slice(0, max.required);
    return stated.map(
      (one): Sentence => [`${inlineCode(name)} requires at `, ...codeSentence(inquiry, one, 'manifest')],
    );
  });
  return lines.length === 0 ? undefined : { lines: sentences, notes, passages: 0 };
}

/** Returns whether a question asks what the repositories that it names ask for. */
function asksForOwn({ kind, packages }: Inquiry['question']): boolean {
  return packages.version ? kind !== 'change' : kind === 'exists' && packages.uses;
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
    return first.length > 0 || (own !== undefined && names.length === 1) ? [{ name, first }] : [];
  });
  if (read === undefined || about.length === 0 || names.length - about.length > max.others) return undefined;
  const points = about.map(({ name, first }) => {
    const using = first.map(({ repository }) => repository);
    const list = using.length === 0 ? '' : ` (${namesOf(using, max.listed)})`;
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

/** States what the manifests of some repositories ask for. */
async function askedOfOwn(inquiry: Inquiry, names: readonly string[]): Promise<Finding | undefined> {
  const own = askedRepositories(inquiry);
  const isOfSeveral = inquiry.ranked.named.length === 0 && own.length > 1;
  const read = isOfSeveral ? undefined : await readPackages(inquiry, names, own);
  if (read === undefined) return undefined;
  const shown = read.asks.filter(({ word, repository }) => repositoryNamed(inquiry, word) !== repository);
  if (shown.length === 0 && (read.notes.length === 0 || inquiry.question.packages.version)) return undefined;
  return {
    lines:
      shown.length === 0
        ? [[`No manifest that was read asks for ${codeList(names)}.`]]
        : shown.slice(0, max.shown).map((one) => askSentence(inquiry, one)),
    notes: read.notes,
    passages: shown.length === 0 ? 4 : 2,
    isSure: shown.length > 0,
  };
}

/**
 * Lists what the manifests of some repositories ask for, or only for development if the question says so. Not every
 * format marks packages for development: if none is marked, the list has all of them and says so.
 */
async function listAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const repositories = inquiry.ranked.named.slice(0, max.shown);
  const read = repositories.length > 0 ? await readManifests(inquiry, repositories) : undefined;
  if (read === undefined) return undefined;
  const isOfDevelopment = ` ${inquiry.question.head.toLowerCase()}`.includes(' dev');
  const marked = read.manifests.map((one) => ({
    ...one,
    asks: one.asks.filter((ask) => ask.isForDevelopment),
  }));
  const isMarked = isOfDevelopment && marked.some(({ asks }) => asks.length > 0);
  const found = (isMarked ? marked : read.manifests).filter(({ asks }) => asks.length > 0);
  const none = 'no manifest that was read marks packages as those for development; ';
  const count = `${counted(found.length, 'manifest')} with packages${isMarked ? ' for development' : ''}`;
  const lead = `${namesOf(repositories)}: ${isOfDevelopment && !isMarked ? none : ''}${count}.`;
  const shown = found.slice(0, max.shown * max.ofLine).flatMap((one) => listLines(inquiry, one));
  const more = inquiry.ranked.named.length - repositories.length;
  const notes =
    more > 0 ? [`Of ${counted(more, 'repository', 'repositories')} more, no manifest was read.`] : [];
  return { lines: [[lead], ...shown], notes: [...read.notes, ...notes], passages: 0 };
}

/** Returns the first line of a manifest that asks for a package, and its packages in rows. */
function listLines(inquiry: Inquiry, { asks, ...manifest }: ManifestRead): readonly Sentence[] {
  const packages = asks
    .slice(0, max.packages)
    .map(({ name, version }) => inlineCode(`${name} ${version}`.trim()));
  const rows = Array.from({ length: Math.ceil(packages.length / max.ofLine) }, (_, row) => [
    packages.slice(row * max.ofLine, (row + 1) * max.ofLine).join(', '),
  ]);
  const more = asks.length - packages.length;
  const from = codeSentence(inquiry, lineOf(manifest, asks[0]!.line), 'manifest');
  return [[`${asks.length}, from `, ...from], ...rows, ...(more > 0 ? [[`${more} more`]] : [])];
}

/** A line of a manifest that asks for a package. */
interface AskedPackage extends CodeLine {
  /** The word of the question that means it. */
  readonly word: string;
  /** Its name in the manifest. */
  readonly asked: string;
  readonly version: string;
  readonly isForDevelopment?: true;
}

function askSentence(inquiry: Inquiry, ask: AskedPackage): Sentence {
  const { repository, asked, version, isForDevelopment } = ask;
  const use = isForDevelopment === true ? ' for its development' : '';
  const what = `asks for ${inlineCode(`${asked} ${version}`.trim())}`;
  return [`${inlineCode(repository.name)} ${what}${use} at `, ...codeSentence(inquiry, ask, 'manifest')];
}

function firstOfEach<Thing>(all: readonly Thing[], keyOf: (one: Thing) => unknown): readonly Thing[] {
  return [...Map.groupBy(all, keyOf).values()].map(([first]) => first!);
}

/**
 * Reads what manifests ask for of these packages, of those with the name as the last part, and of those that a
 * repository of that name provides, each version of a repository once.
 */
async function readPackages(
  inquiry: Inquiry,
  names: readonly string[],
  repositories: readonly SearchableRepository[],
): Promise<(Pick<ManifestsRead, 'notes'> & { readonly asks: readonly AskedPackage[] }) | undefined> {
  // The names of the question by those of the packages that they mean.
  const aliases = new Map(names.map((name) => [name.toLowerCase(), name]));
  for (const name of names) {
    const own = repositoryNamed(inquiry, name);
    const read = own && (await readManifests(inquiry, [own]));
    for (const { path, provides } of read?.manifests ?? [])
      if (provides !== undefined && !path.includes('/')) aliases.set(provides.toLowerCase(), name);
  }
  const words = [...aliases.keys()].map(escapePattern).join('|');
  const text = `(?:^|[^\\p{L}\\p{N}_])(?:${words})(?:[^\\p{L}\\p{N}_]|$)`;
  // Repositories choose the names of their packages.
  const read = text.length > maxPatternLength ? undefined : await readManifests(inquiry, repositories, text);
  if (read === undefined) return undefined;
  const asks = read.manifests.flatMap(({ asks: own, ...manifest }) =>
    own.flatMap(({ name: asked, line, ...ask }): AskedPackage[] => {
      const whole = asked.toLowerCase();
      // `@types/node` has the version of the types, and not that of what it describes.
      const last = whole.startsWith('@types/') ? '' : whole.slice(whole.lastIndexOf('/') + 1);
      const word = aliases.get(whole) ?? aliases.get(last);
      return word === undefined ? [] : [{ ...lineOf(manifest, line), ...ask, word, asked }];
    }),
  );
  return {
    asks: firstOfEach(asks, ({ repository, word, version }) => `${repository.id} ${word} ${version}`),
    notes: read.notes,
  };
}
