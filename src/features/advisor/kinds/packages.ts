import { maxPatternLength, type SearchResult } from '../../../backends/codesearch/port.ts';
import { isManifest, manifestPaths, maxManifest, readManifest } from '../../../backends/languages/port.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { escapePattern } from '../../../foundation/kernel/text/escape-pattern.ts';
import { listed } from '../../../foundation/kernel/text/listed.ts';
import { stopWords } from '../../../foundation/kernel/text/words.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import { searchFor } from '../evidence/line-source.ts';
import { nextCall } from '../evidence/next-call.ts';
import type { Finding, Sentence } from '../finding.ts';
import { askedRepositories, type Inquiry } from '../inquiry.ts';
import { withoutRepositoryWords } from '../question/signal.ts';
import { inlineCode } from '../text/markdown.ts';
import { type CodeLine, codeSentence } from './code-sentence.ts';

/**
 * Numbers of manifests that one search returns, and that are read of a repository, those nearest to its root first; of
 * repositories whose lines are shown, of names in a list, and of words that may be names and of those that are none.
 */
const max = { files: 400, perRepository: 12, shown: 8, listed: 20, names: 8, otherWords: 3 } as const;

const useVerbs = String.raw`(?:us(?:es?|ed|ing)|needs?|depend(?:s|ing)?\s+(?:up)?on|rel(?:y|ies)\s+on|requires?|imports?|pulls?(?:\s+in)?)\b`;
/** Match questions for uses of something, for what uses it, and for a version. */
const asksForUses = new RegExp(String.raw`\b${useVerbs}`, 'iu');
const asksForUsers = new RegExp(String.raw`\b(?:who|what)\s+(?:(?:else|still|all)\s+)?${useVerbs}`, 'iu');
const asksForVersion = /\bversions?\b/iu;
/** Words that ask for uses and name nothing that is used. */
const asking =
  /^(?:us(?:es?|ed|ing)|needs?|depend\w*|upon|rely|relies|requires?|imports?|references?|pulls?|packages?|librar(?:y|ies)|gems?|crates?|npm|pypi|modules?|(?:minimum|supported|required|latest)|versions?|hey|hi|repos|repositories|services|direct(?:ly)?|still|currently|v?[\d.]+)$/iu;

/** A line of a manifest that asks for a package. */
interface AskedPackage extends CodeLine {
  /** The word of the question that means it. */
  readonly word: string;
  /** Its name and version in the manifest; absent for a line that only has the word. */
  readonly asked?: string;
  readonly version: string;
}

/** Answers which repositories ask for packages in their manifests, or what those that are named ask for, with version and line. */
export async function packagesAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const { question, ranked } = inquiry;
  const { head, asksEvery } = question;
  const words =
    withoutRepositoryWords(head).match(/@?[\p{L}\p{N}_](?:[\p{L}\p{N}_./-]*[\p{L}\p{N}_])?/gu) ?? [];
  const names = [...new Set(words)].filter(
    (word) => !stopWords.has(word.toLowerCase()) && !asking.test(word),
  );
  if (names.length === 0 || names.length > max.names) return undefined;
  const asksForAll = asksEvery
    ? asksForUses.test(head)
    : asksForUsers.test(head) && !isDefined(inquiry, names);
  if (asksForAll) return await askedOfAll(inquiry, names);
  if (asksEvery || !asksForOwn(question)) return undefined;
  const own = askedRepositories(inquiry);
  return ranked.named.length > 0 || own.length === 1 ? await askedOfOwn(inquiry, names, own) : undefined;
}

/** Returns whether a name is a definition, and none that of a repository. */
function isDefined(inquiry: Inquiry, names: readonly string[]): boolean {
  return inquiry.named.symbols.length > 0 && !names.some((name) => repositoryNamed(inquiry, name));
}

/** Returns whether a question is for what a repository uses, or for a version that it needs. */
function asksForOwn({ kind, head }: Inquiry['question']): boolean {
  return kind === 'exists'
    ? asksForUses.test(head) || asksForVersion.test(head)
    : kind !== 'change' && asksForVersion.test(head);
}

/** States for each name that manifests have which repositories ask for it, those with the version of the question first. */
async function askedOfAll(inquiry: Inquiry, names: readonly string[]): Promise<Finding | undefined> {
  const { repositories } = inquiry.ranked;
  const read = await readPackages(inquiry, names, repositories);
  const about = names.flatMap((name) => {
    const own = repositoryNamed(inquiry, name);
    const version = versionOf(inquiry.question.head, name);
    const of = (read?.asks ?? []).filter((one) => one.word === name && one.repository !== own);
    const right = of.filter((one) => version === undefined || hasVersion(one.version, version));
    const groups = Map.groupBy([...right, ...of], ({ repository }) => repository);
    const first = [...groups.values()].map(([one]) => one!);
    const isSaid = first.length > 0 || (own !== undefined && names.length === 1);
    return isSaid ? [{ name, version, right, first }] : [];
  });
  if (read === undefined || about.length === 0 || names.length - about.length > max.otherWords)
    return undefined;
  const points = about.map(({ name, version = '', right }) => {
    const using = [...new Set(right.map(({ repository }) => inlineCode(repository.name)))];
    const list = using.length === 0 ? '' : ` (${listed(using, max.listed)})`;
    return `${inlineCode(`${name} ${version}`.trim())} in ${using.length}${list}`;
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
  const owners = new Map(names.map((name) => [name, repositoryNamed(inquiry, name)]));
  const isOther = ({ word, repository }: AskedPackage): boolean => owners.get(word) !== repository;
  const asks = (read?.asks ?? []).filter(isOther);
  const isVersion = asksForVersion.test(inquiry.question.head);
  const lines = (read?.lines ?? []).filter((one) => isOther(one) && /\d/u.test(one.text));
  const shown = asks.length > 0 || !isVersion ? asks : lines;
  if (read === undefined || (shown.length === 0 && read.notes.length === 0)) return undefined;
  return {
    lines:
      shown.length === 0
        ? [[`No manifest that was read asks for ${listed(names.map(inlineCode), max.names)}.`]]
        : shown.slice(0, max.shown).map((one) => askSentence(inquiry, one)),
    notes: read.notes,
    passages: shown.length === 0 ? 4 : 2,
    isSure: shown.length > 0 && asks.length > 0,
  };
}

function askSentence(inquiry: Inquiry, ask: AskedPackage): Sentence {
  const { repository, word, asked, version } = ask;
  const what =
    asked === undefined ? `has ${inlineCode(word)}` : `asks for ${inlineCode(`${asked} ${version}`.trim())}`;
  return [`${inlineCode(repository.name)} ${what} at `, ...codeSentence(inquiry, ask, 'manifest')];
}

function repositoryNamed({ ranked }: Inquiry, name: string): SearchableRepository | undefined {
  return ranked.repositories.find((one) => {
    const whole = one.name.toLowerCase();
    return [whole, ...whole.split(/[/_+]/u).slice(-1)].includes(name.toLowerCase());
  });
}

/** Returns the version that stands behind a name: `4` of "use fastify 4". */
function versionOf(text: string, name: string): string | undefined {
  const at = text.indexOf(name);
  return /^(?:@|\s+(?:version\s+)?v?)(\d+(?:\.\d+)*)/iu.exec(text.slice(at + name.length))?.[1];
}

/** Returns whether a range of versions names one: `^4.2.0` or `4 || 5` names 4. */
function hasVersion(range: string, version: string): boolean {
  const named = range.match(/(?<![\d.<])\d+(?:\.\d+)*/gu) ?? [];
  return named.some((one) => one === version || one.startsWith(`${version}.`));
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
 * Reads what manifests ask for of these packages, of those with the name as the last part, and of those that a repository
 * of that name provides; `undefined` if they cannot be searched, because the search was refused or has too many names.
 */
async function readPackages(
  inquiry: Inquiry,
  names: readonly string[],
  repositories: readonly SearchableRepository[],
): Promise<PackagesRead | undefined> {
  const aliases = new Map(names.map((name) => [name.toLowerCase(), name]));
  for (const name of names) {
    const own = repositoryNamed(inquiry, name);
    for (const provided of own === undefined ? [] : await providedPackages(inquiry, own))
      aliases.set(provided.toLowerCase(), name);
  }
  const words = [...aliases.keys()].map(escapePattern).join('|');
  const source = `(?:^|[^\\p{L}\\p{N}_])(?:${words})(?:[^\\p{L}\\p{N}_]|$)`;
  // Repositories choose the names of their packages.
  if (source.length > maxPatternLength) return undefined;
  const result = await manifestsWith(inquiry, source, repositories);
  if (result === undefined) return undefined;
  const isCut = result.incomplete !== undefined || result.nextOffset !== undefined;
  const cut = isCut ? ['The search of manifests was cut short, so that some are missing.'] : [];
  const read: PackagesRead[] = [{ asks: [], lines: [], notes: cut }];
  const byDepth = result.files
    .filter(({ path }) => isManifest(path))
    .toSorted((a, b) => a.path.split('/').length - b.path.split('/').length);
  for (const [id, own] of Map.groupBy(byDepth, ({ repository }) => repository)) {
    const repository = repositories.find((one) => one.id === id);
    if (repository === undefined) continue;
    const more = own.length - max.perRepository;
    const unread = `${counted(more, 'manifest')} more of ${inlineCode(repository.name)} not read.`;
    read.push({ asks: [], lines: [], notes: more > 0 ? [unread] : [] });
    for (const file of own.slice(0, max.perRepository))
      read.push(await readAsks(inquiry, { repository, file, names, aliases }));
  }
  return {
    asks: distinct(read.flatMap((one) => one.asks)),
    lines: read.flatMap((one) => one.lines),
    notes: read.flatMap((one) => one.notes),
  };
}

/** Returns each version of a repository once. */
function distinct(asks: readonly AskedPackage[]): readonly AskedPackage[] {
  const keyOf = ({ repository, word, version }: AskedPackage) => `${repository.id} ${word} ${version}`;
  return [...Map.groupBy(asks, keyOf).values()].map(([first]) => first!);
}

/** A manifest that has one of the names. */
interface FoundManifest {
  readonly repository: SearchableRepository;
  readonly file: SearchResult['files'][number];
  readonly names: readonly string[];
  /** Names of the question by those of packages that they mean, in lower case. */
  readonly aliases: ReadonlyMap<string, string>;
}

/** Returns what one manifest says of the names. */
async function readAsks(
  { deps, scope, signal }: Inquiry,
  { repository, file: { path, matches }, names, aliases }: FoundManifest,
): Promise<PackagesRead> {
  const file = await deps.sources.readFile(scope, { repository: repository.id, path }, signal);
  const { content = '' } = file ?? {};
  const place = { repository, path };
  const isTooLarge = file?.content === undefined || content.length > maxManifest;
  const note = `${inlineCode(`${repository.name}/${path}`)} is too large to be read as a manifest.`;
  const text = content.split('\n');
  const asks = (readManifest(path, content)?.asks ?? []).flatMap(({ name: asked, version, line }) => {
    const whole = asked.toLowerCase();
    const word = aliases.get(whole) ?? aliases.get(whole.slice(whole.lastIndexOf('/') + 1));
    return word === undefined ? [] : { ...place, word, asked, version, line, text: text[line - 1] ?? '' };
  });
  return {
    asks,
    lines: linesWith(names, matches).map((one) => ({ ...place, ...one, version: '' })),
    notes: isTooLarge ? [note] : [],
  };
}

/** Returns the matches that have one of the names, with the first of these. */
function linesWith(
  names: readonly string[],
  matches: FoundManifest['file']['matches'],
): readonly Pick<AskedPackage, 'word' | 'line' | 'text'>[] {
  return matches.flatMap(({ line, text }) => {
    const word = names.find((one) => text.toLowerCase().includes(one.toLowerCase()));
    return word !== undefined && line > 0 ? [{ word, line, text }] : [];
  });
}

function manifestsWith(
  inquiry: Inquiry,
  source: string,
  repositories: readonly SearchableRepository[],
): Promise<SearchResult | undefined> {
  const operands = [
    { kind: 'regex', source: manifestPaths, caseSensitive: true, field: 'path' },
    { kind: 'regex', source, caseSensitive: false, field: 'content' },
  ] as const;
  return searchFor(inquiry, { query: { kind: 'and', operands }, repositories, limit: max.files });
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
      const asked = { repository: repository.id, path };
      const file = await inquiry.deps.sources.readFile(inquiry.scope, asked, inquiry.signal);
      return readManifest(path, file?.content ?? '')?.provides ?? [];
    }),
  );
  return names.flat();
}
