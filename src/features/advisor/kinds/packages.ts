import { type FileMatch, maxPatternLength } from '../../../backends/codesearch/port.ts';
import {
  isManifest,
  manifestPaths,
  maxManifest,
  readManifest,
  requiredLanguage,
} from '../../../backends/languages/port.ts';
import { openPauses } from '../../../foundation/kernel/limits/pauses.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { escapePattern } from '../../../foundation/kernel/text/escape-pattern.ts';
import { stopWords } from '../../../foundation/kernel/text/words.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import { readText, searchFor } from '../evidence/line-source.ts';
import { type CodeLine, codeSentence, nextCall } from '../evidence/place-source.ts';
import { type Finding, firstLines, type Sentence } from '../finding.ts';
import { type Inquiry, repositoryWith } from '../inquiry.ts';
import { isNameOf } from '../question/named-repositories.ts';
import { withoutRepositoryWords } from '../question/read-question.ts';
import { inlineCode, namesOf } from '../text/markdown.ts';

/**
 * Numbers of words of a question that may be packages, of manifests that a search returns, of those that are read of a
 * repository, of lines that are shown, and of repositories that are listed.
 */
const max = { names: 6, found: 400, read: 12, shown: 12, listed: 20 } as const;

/** Words that ask for uses and name nothing that is used. */
const asking = new Set(
  [
    'use uses used using need needs depend depends depending dependency dependencies upon rely relies require requires',
    'import imports reference references pull pulls package packages library libraries gem gems crate crates npm pypi',
    'module modules minimum supported required latest version versions hey hi repos repositories services direct',
    'directly still currently dev development runtime list show',
  ].flatMap((line) => line.split(' ')),
);

/** Answers which repositories ask for packages, or that the named ones do, with version and line. */
export async function packagesAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const { ranked, question } = inquiry;
  const words = withoutRepositoryWords(question.head).match(/@?[\p{L}\p{N}_](?:[\w./-]*[\p{L}\p{N}_])?/gu);
  const names = [...new Set(words)].filter((word) => {
    const lower = word.toLowerCase();
    return !stopWords.has(lower) && !asking.has(lower) && /[^v\d.]/u.test(lower);
  });
  const isOfAll = question.asksEvery || question.packages.users;
  const repositories = isOfAll ? ranked.repositories : ranked.named;
  const isFew = names.length > 0 && names.length <= max.names;
  if (repositories.length === 0 || !isFew || !asksForPackages(inquiry, names)) return undefined;
  const { asks, notes } = await readAsks(inquiry, names, repositories);
  // Of all repositories, each is stated once, of a named one all versions.
  const different = Map.groupBy(asks, ({ repository, word, version }) =>
    [repository.id, word, isOfAll ? '' : version].join(' '),
  );
  const stated = Array.from(different.values(), ([first]) => first!);
  if (stated.length === 0) return undefined;
  const points = names.flatMap((name) => {
    const using = stated.filter(({ word }) => word === name).map(({ repository }) => repository);
    return using.length === 0
      ? []
      : [`${inlineCode(name)} in ${using.length} (${namesOf(using, max.listed)})`];
  });
  // No line of code uses a language by its name.
  const used = new Set(stated.flatMap(({ word, isLanguage }) => (isLanguage === true ? [] : [word])));
  const all = counted(repositories.length, 'repository', 'repositories');
  const lead = `Manifests of ${all} ask for ${points.join(', and for ')}.`;
  const lines = firstLines(stated, max.shown, (ask) => askSentence(inquiry, ask));
  return {
    lines: isOfAll ? [[lead], ...lines] : lines,
    notes,
    next: [...used].flatMap((name) => nextCall('find_references', { name })),
    passages: isOfAll || used.size === 0 ? 0 : 2,
  };
}

/** Returns whether a question asks for what manifests say. */
function asksForPackages({ question, ranked, named }: Inquiry, names: readonly string[]): boolean {
  const { kind, asksEvery, packages } = question;
  // "Which packages does scrapy need" asks for all that one repository needs.
  if (asksEvery) return packages.uses && !/\bdo(?:es)?\b/iu.test(question.head);
  if (packages.users) {
    // "What uses Rope in skiff" is about code, "who uses express" about the repository.
    const isNamed = names.some((name) => ranked.repositories.some((one) => isNameOf(one, name)));
    return !ranked.isCertain && (isNamed || named.symbols.length === 0);
  }
  // "On which versions of Node do hono and express run their tests" is no question for manifests.
  if (packages.version) return kind !== 'change' && (packages.uses || ranked.named.length === 1);
  return kind === 'exists' && packages.uses;
}

/** A line of a manifest that asks for a package, or requires a version of a language or runtime. */
interface Ask extends CodeLine {
  /** The word of the question that means it. */
  readonly word: string;
  readonly name: string;
  /** Empty if any is accepted, and of a language. */
  readonly version: string;
  readonly isForDevelopment?: true;
  readonly isLanguage?: boolean;
}

function askSentence(inquiry: Inquiry, ask: Ask): Sentence {
  const { repository, name, version, isForDevelopment } = ask;
  const use = isForDevelopment === true ? ' for its development' : '';
  const what = `asks for ${inlineCode(`${name} ${version}`.trim())}`;
  return [`${inlineCode(repository.name)} ${what}${use} at `, ...codeSentence(inquiry, ask, 'manifest')];
}

/** Reads what the manifests of some repositories ask for under these names, those nearest to the root first. */
async function readAsks(
  inquiry: Inquiry,
  names: readonly string[],
  repositories: readonly SearchableRepository[],
): Promise<{ readonly asks: readonly Ask[]; readonly notes: readonly string[] }> {
  // Manifests call Golang `go`, and Node.js `node`.
  const meant = new Map(names.map((name) => [name.toLowerCase().replace(/lang$|\.?js$/u, ''), name]));
  for (const name of names) meant.set(name.toLowerCase(), name);
  meant.delete('');
  const { files, notes } = await findManifests(inquiry, [...meant.keys()], repositories);
  const asks: Ask[] = [];
  const pause = openPauses();
  for (const [id, own] of Map.groupBy(files, ({ repository }) => repository)) {
    const repository = repositoryWith(inquiry, id);
    if (repository === undefined) continue;
    let read = 0;
    for (const { path } of own.slice(0, max.read)) {
      await pause();
      const content = await readText(inquiry, repository, path);
      if (content === undefined || content.length > maxManifest) continue;
      read += 1;
      for (const ask of asksOf(path, content)) {
        const word = meant.get(ask.name.toLowerCase()) ?? meant.get(lastPart(ask.name));
        // Manifests of a repository name its own packages.
        if (word !== undefined && !isNameOf(repository, word)) asks.push({ ...ask, word, repository, path });
      }
    }
    if (read < own.length)
      notes.push(
        `${counted(own.length - read, 'manifest')} more of ${inlineCode(repository.name)} not read.`,
      );
  }
  // A package may be called as a language is: `github.com/json-iterator/go`.
  const languages = new Set(asks.filter(({ isLanguage }) => isLanguage).map(({ word }) => word));
  return { asks: asks.filter(({ isLanguage, word }) => isLanguage === true || !languages.has(word)), notes };
}

/** Finds the manifests that have one of some words, those nearest to the root first; none if the search is refused. */
async function findManifests(
  inquiry: Inquiry,
  words: readonly string[],
  repositories: readonly SearchableRepository[],
): Promise<{ readonly files: readonly FileMatch[]; readonly notes: string[] }> {
  const source = `(?:^|[^\\p{L}\\p{N}])(?:${words.map(escapePattern).join('|')})(?:[^\\p{L}\\p{N}]|$)`;
  const operands = [
    { kind: 'regex', source: manifestPaths, caseSensitive: true, field: 'path' },
    { kind: 'regex', source, caseSensitive: false, field: 'content' },
  ] as const;
  const search = { query: { kind: 'and', operands }, repositories, limit: max.found } as const;
  const result = source.length > maxPatternLength ? undefined : await searchFor(inquiry, search);
  if (result === undefined) return { files: [], notes: [] };
  const isCut = result.incomplete !== undefined || result.nextOffset !== undefined;
  return {
    files: result.files
      .filter(({ path }) => isManifest(path))
      .toSorted((a, b) => a.path.split('/').length - b.path.split('/').length),
    notes: isCut ? ['The search of manifests was cut short, so that some are missing.'] : [],
  };
}

/** Returns what a manifest asks for, with the texts of the lines. */
function asksOf(path: string, content: string): readonly Omit<Ask, 'word' | 'repository' | 'path'>[] {
  const texts = content.split('\n');
  const languages = texts.flatMap((text, at) => {
    const name = requiredLanguage(text);
    return name === undefined ? [] : [{ name, version: '', line: at + 1, text, isLanguage: true }];
  });
  const asks = readManifest(path, content)?.asks ?? [];
  return [...languages, ...asks.map((ask) => ({ ...ask, text: texts[ask.line - 1] ?? '' }))];
}

/** Returns the name of a package without its owner; `@types/node` has the version of the types, and not of Node. */
function lastPart(name: string): string {
  return name.startsWith('@types/') ? name : name.toLowerCase().split(/[/:]/u).at(-1)!;
}
