import { isManifest, manifestPaths, requiredLanguage } from '../../../backends/languages/port.ts';
import { openPauses } from '../../../foundation/kernel/limits/pauses.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { escapePattern } from '../../../foundation/kernel/text/escape-pattern.ts';
import { stopWords } from '../../../foundation/kernel/text/words.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import { codeOf, type FoundLine, searchLines } from '../evidence/line-source.ts';
import { type CodeLine, codeText, nextCall, placeSource } from '../evidence/place-source.ts';
import { type Finding, firstLines, type Sentence } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { isNameOf } from '../question/named-repositories.ts';
import { withoutRepositoryWords } from '../question/read-question.ts';
import { inlineCode, namesOf } from '../text/markdown.ts';

/** Maximum numbers of words that may be packages, of lines that are shown and of repositories that are listed. */
const max = { names: 6, shown: 12, listed: 20 } as const;
/** Numbers of manifests that a search returns, and of lines of each: one also names its own package often. */
const limits = { limit: 1_000, matchesPerFile: 200 } as const;

/** Words that ask for uses and name nothing that is used. */
const asking = new Set(
  [
    'use uses used using need needs depend depends depending dependency dependencies upon rely relies require requires',
    'import imports reference references pull pulls package packages library libraries gem gems crate crates npm pypi',
    'module modules minimum supported required latest version versions hey hi repos repositories services direct',
    'directly still currently dev development runtime list show both either newer older above below least most',
  ].flatMap((line) => line.split(' ')),
);

/**
 * Answers which repositories have packages in their manifests, or that the named ones do, with a line of each that has
 * the version.
 */
export async function packagesAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const { ranked, question } = inquiry;
  const words = withoutRepositoryWords(question.head).match(/@?[\p{L}\p{N}_](?:[\w./-]*[\p{L}\p{N}_])?/gu);
  const names = [...new Set(words)].filter((word) => {
    const lower = word.toLowerCase();
    return !stopWords.has(lower) && !asking.has(lower) && /[^v\d.]/u.test(lower);
  });
  const isOfAll = question.asksEvery || question.packages.users;
  const among = isOfAll ? ranked.repositories : ranked.named;
  if (among.length === 0 || !asksForPackages(inquiry, names)) return undefined;
  const { lines, hasEveryFile } = await linesWith(inquiry, names, among);
  if (lines.length === 0) return undefined;
  const points = [...Map.groupBy(lines, ({ name }) => name)].map(([name, own]) => {
    const using = [...new Set(own.map(({ repository }) => repository))];
    return `${inlineCode(name)} in ${using.length} (${namesOf(using, max.listed)})`;
  });
  const all = counted(among.length, 'repository', 'repositories');
  const keyOf = ({ repository, name, text }: NameLine): string =>
    [repository.id, name, isOfAll ? '' : text].join('\n');
  const stated = Array.from(Map.groupBy(lines, keyOf).values(), ([first]) => first!);
  return {
    lines: [
      ...(isOfAll ? [[`Manifests of ${all} have ${points.join(', and ')}.`]] : []),
      ...firstLines(stated, max.shown, (line) => lineSentence(inquiry, line)),
    ],
    notes: hasEveryFile ? [] : ['The search was cut short, so that files and repositories may be missing.'],
    // No line of code uses a language by its name.
    next: lines.some(requiresLanguage) ? [] : names.flatMap((name) => nextCall('find_references', { name })),
    passages: isOfAll ? 0 : 2,
  };
}

/** States a line of a manifest, with itself as the source. */
function lineSentence(inquiry: Inquiry, code: CodeLine): Sentence {
  const { repository, line } = code;
  const lines = { ...code, startLine: line, endLine: line, reason: 'package' };
  return [codeText(code), placeSource(inquiry, repository, lines)];
}

/** Returns whether a question asks for what manifests say. */
function asksForPackages({ question, ranked, named }: Inquiry, names: readonly string[]): boolean {
  const { kind, asksEvery, packages } = question;
  if (names.length === 0 || names.length > max.names) return false;
  // "Which packages does scrapy need" asks for all that one repository needs.
  if (asksEvery) return packages.uses && (packages.version || !/\bdo(?:es)?\b/iu.test(question.head));
  if (packages.users) {
    // "What uses Rope in skiff" is about code, "who uses express" about the repository.
    const isNamed = names.some((name) => ranked.repositories.some((one) => isNameOf(one, name)));
    return !ranked.isCertain && (isNamed || named.symbols.length === 0);
  }
  // "On which versions of Node do hono and express run their tests" is no question for manifests.
  if (packages.version) return kind !== 'change' && (packages.uses || ranked.named.length === 1);
  return kind === 'exists' && packages.uses;
}

/** A line with a name of the question. */
interface NameLine extends FoundLine {
  readonly name: string;
  /** Lower for better ones. */
  readonly order: number;
}

/** Returns the lines of manifests that have one of these names as a word, the best first. */
async function linesWith(
  inquiry: Inquiry,
  names: readonly string[],
  repositories: readonly SearchableRepository[],
): Promise<{ readonly lines: readonly NameLine[]; readonly hasEveryFile: boolean }> {
  const text = `(?:^|[^\\p{L}\\p{N}])(?:${names.flatMap(formsOf).map(escapePattern).join('|')})(?:[^\\p{L}\\p{N}]|$)`;
  const asked = { text, form: 'pattern', caseSensitive: false, repositories, paths: manifestPaths } as const;
  const found = await searchLines(inquiry, { ...asked, ...limits });
  const patterns = names.map(patternsOf);
  const pause = openPauses();
  const lines: NameLine[] = [];
  for (const line of found.lines.filter(({ path }) => isManifest(path))) {
    await pause();
    for (const { name, word, declaration } of patterns) {
      const one = { ...line, name, order: orderOf(line, declaration) };
      // A repository names itself in its manifests, and `requires-python` has a language with a hyphen.
      const isUse = word.test(codeOf(line.text)) || requiresLanguage(one);
      if (isUse && !isNameOf(line.repository, name)) lines.push(one);
    }
  }
  const languages = new Set(lines.filter(requiresLanguage).map(({ name }) => name));
  return {
    lines: lines
      // A package may be called as a language is: `json-iterator/go`.
      .filter((line) => !languages.has(line.name) || requiresLanguage(line))
      .toSorted((a, b) => a.order - b.order),
    hasEveryFile: found.hasEveryFile,
  };
}

/** Returns a name as manifests have it: they call Golang `go`, and Node.js `node`. */
function formsOf(name: string): readonly string[] {
  const lower = name.toLowerCase();
  return [lower, lower.replace(/lang$|\.?js$|-go$/u, '')].filter((form) => form !== '');
}

/** Returns patterns of a name as a word, which may have hyphens, and of its declaration with a version. */
function patternsOf(name: string) {
  const outside = String.raw`[^\p{L}\p{N}_-]`;
  const forms = `(?:${formsOf(name).map(escapePattern).join('|')})`;
  const version = String.raw`[^\p{L}[\]]{0,12}(?:version)?[^\p{L}]{0,8}v?\d`;
  return {
    name,
    word: new RegExp(`(?:^|${outside})${forms}(?:${outside}|$)`, 'iu'),
    declaration: new RegExp(String.raw`(^\s*|["'\s]|/)${forms}${version}`, 'iu'),
  };
}

/** Returns whether a line requires a version of the language or runtime that a name means. */
function requiresLanguage({ name, text }: NameLine): boolean {
  return formsOf(name).includes(requiredLanguage(text) ?? '');
}

/** Returns the order of a line: with a version after the name and near the root first. */
function orderOf({ path, text }: FoundLine, declaration: RegExp): number {
  // "@types/node" has a version of its own.
  const [found, sign] = declaration.exec(text) ?? [];
  return path.split('/').length + (found === undefined ? 100 : sign === '/' ? 50 : 0);
}
