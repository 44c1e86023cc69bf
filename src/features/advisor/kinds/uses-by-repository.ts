import { counted } from '../../../foundation/kernel/text/counted.ts';
import { listed } from '../../../foundation/kernel/text/listed.ts';
import { stopWords } from '../../../foundation/kernel/text/words.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import { isProductPath, searchText } from '../evidence/line-source.ts';
import { nextCall } from '../evidence/next-call.ts';
import { placeSource } from '../evidence/place-source.ts';
import type { Finding, Sentence } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { readMentions } from '../question/prompt/mentions.ts';
import { readPrompt } from '../question/prompt/read-prompt.ts';
import { withoutRepositoryWords } from '../question/signal.ts';
import { inlineCode } from '../text/markdown.ts';
import { type AskedPackage, askedPackages, providedPackages } from './asked-packages.ts';
import { lineSentence, type MessageLine } from './message.ts';

/**
 * Numbers of files that a search returns, of repositories whose lines are shown, of names in a list, of words
 * besides the name up to which a question asks for nothing else, and of words that may be names.
 */
const max = { files: 1_000, shown: 8, listed: 20, otherWords: 3, names: 8 } as const;
const imports = /^\s*(?:import|from|use|using|require|include|#include|gem)\b/u;

const useVerbs = String.raw`(?:us(?:es?|ed|ing)|depend(?:s|ing)?\s+(?:up)?on|rel(?:y|ies)\s+on|requires?|imports?|pulls?(?:\s+in)?)\b`;
/** Asks for uses of something, and for what uses it. */
const asksForUses = new RegExp(String.raw`\b${useVerbs}`, 'iu');
const asksForUsers = new RegExp(String.raw`\b(?:who|what)\s+(?:(?:else|still|all)\s+)?${useVerbs}`, 'iu');
/** Words that ask for uses and name nothing that is used. */
const asking =
  /^(?:us(?:es?|ed|ing)|depend\w*|upon|rely|relies|requires?|imports?|references?|pulls?|packages?|librar(?:y|ies)|gems?|crates?|npm|pypi|modules?|versions?|hey|hi|repos|repositories|services|direct(?:ly)?|still|currently|v?[\d.]+)$/iu;

/**
 * Answers which repositories ask for packages in their manifests, with the version and the line of each. If none does, and
 * every repository is asked for a name, answers which have it as a whole word.
 */
export async function usesByRepository(inquiry: Inquiry): Promise<Finding | undefined> {
  const { question, named } = inquiry;
  const asked = withoutRepositoryWords(question.head);
  const words = asked.match(/@?[\p{L}\p{N}_](?:[\p{L}\p{N}_./-]*[\p{L}\p{N}_])?/gu) ?? [];
  const names = [...new Set(words)].filter(
    (word) => !stopWords.has(word.toLowerCase()) && !asking.test(word),
  );
  const isDefined = named.symbols.length > 0 && !names.some((name) => repositoryNamed(inquiry, name));
  const asksForPackages = question.asksEvery
    ? asksForUses.test(question.head)
    : asksForUsers.test(question.head) && !isDefined;
  if (asksForPackages && names.length > 0 && names.length <= max.names) {
    const found = await packagesAnswer(inquiry, names);
    if (found !== undefined) return found;
  }
  return question.asksEvery && question.kind === 'uses' ? wordAnswer(inquiry, asked) : undefined;
}

function repositoryNamed({ ranked }: Inquiry, name: string): SearchableRepository | undefined {
  const isSame = (one: string): boolean => one === name.toLowerCase();
  return ranked.repositories.find((one) => {
    const whole = one.name.toLowerCase();
    return isSame(whole) || isSame(whole.slice(whole.lastIndexOf('/') + 1));
  });
}

/** States for each name that manifests have which repositories ask for it, those with the version of the question first. */
async function packagesAnswer(inquiry: Inquiry, names: readonly string[]): Promise<Finding | undefined> {
  const aliases = new Map(names.map((name) => [name.toLowerCase(), name]));
  for (const name of names) {
    const repository = repositoryNamed(inquiry, name);
    for (const provided of repository === undefined ? [] : await providedPackages(inquiry, repository))
      aliases.set(provided.toLowerCase(), name);
  }
  const asks = await askedPackages(inquiry, [...aliases.keys()]);
  const { repositories } = inquiry.ranked;
  const about = names.flatMap((name) => {
    const own = repositoryNamed(inquiry, name);
    const version = versionOf(inquiry.question.head, name);
    const of = (asks ?? []).filter((one) => aliases.get(one.name) === name && one.repository !== own);
    const right = of.filter((one) => version === undefined || hasVersion(one.version, version));
    const first = [...Map.groupBy([...right, ...of], ({ repository }) => repository).values()].map(
      ([one]) => one!,
    );
    return first.length === 0 && (own === undefined || names.length > 1)
      ? []
      : [{ name, version, right, first }];
  });
  if (asks === undefined || about.length === 0 || names.length - about.length > max.otherWords)
    return undefined;
  const points = about.map(({ name, version = '', right }) => {
    const using = [...new Set(right.map(({ repository }) => repository))];
    const list = using.length === 0 ? '' : ` (${namesOf(using)})`;
    return `${inlineCode(`${name} ${version}`.trim())} in ${using.length}${list}`;
  });
  return {
    lines: [
      [
        `Manifests of ${counted(repositories.length, 'repository', 'repositories')} ask for ${points.join(', and for ')}.`,
      ],
      ...about.flatMap(({ first }) => first.slice(0, max.shown).map((one) => packageSentence(inquiry, one))),
    ],
    next: about.flatMap(({ name }) => nextCall('find_references', { name })),
    passages: 0,
  };
}

function packageSentence(inquiry: Inquiry, asked: AskedPackage): Sentence {
  const { repository, name, version, path, line, text } = asked;
  const source = placeSource(inquiry, repository, {
    path,
    startLine: line,
    endLine: line,
    text,
    reason: 'manifest',
  });
  return [
    `${inlineCode(repository.name)} asks for ${inlineCode(`${name} ${version}`.trim())} at `,
    ...lineSentence({ repository, path, line, text }, source),
  ];
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

/** States which repositories have a name as a whole word, with the number of files and a line of each. */
async function wordAnswer(inquiry: Inquiry, asked: string): Promise<Finding | undefined> {
  const { ranked, question } = inquiry;
  const name = [...question.subject.identifiers, ...readMentions(asked).objects].find(
    (one) => !ranked.named.some((repository) => repository.name === one),
  );
  const others = readPrompt(asked).terms.filter((term) => term.toLowerCase() !== name?.toLowerCase());
  if (name === undefined || others.length > max.otherWords) return undefined;
  const limits = { limit: max.files, matchesPerFile: 5 };
  const result = await searchText(inquiry, { text: name, form: 'word', field: 'content', ...limits });
  if (result === undefined || result.files.length === 0) return undefined;
  const uses = ranked.searched
    .map((repository) => ({
      repository,
      lines: result.files
        .filter(({ repository: id }) => id === repository.id)
        .flatMap(({ path, matches }) => matches.map(({ line, text }) => ({ repository, path, line, text }))),
    }))
    .toSorted((a, b) => filesOf(b) - filesOf(a));
  const using = uses.filter(({ lines }) => lines.length > 0);
  const without = uses.filter(({ lines }) => lines.length === 0);
  const isWhole = result.nextOffset === undefined && result.incomplete === undefined;
  return {
    lines: [
      [
        `${using.length} of ${counted(uses.length, 'repository', 'repositories')} ${using.length === 1 ? 'has' : 'have'} ${inlineCode(name)} as a word.`,
      ],
      ...using.slice(0, max.shown).map((one) => usesSentence(inquiry, one)),
      ...(using.length > max.shown ? [[`Also: ${namesOf(using.slice(max.shown).map(repositoryOf))}.`]] : []),
      ...(without.length > 0 && isWhole ? [[`None in ${namesOf(without.map(repositoryOf))}.`]] : []),
    ],
    notes: isWhole ? [] : ['The search was cut short, so files and repositories may be missing.'],
    next: nextCall('find_references', { name }),
    passages: 0,
  };
}

type UseLine = Omit<MessageLine, 'score' | 'said'>;

/** The lines of a repository with a name. */
interface RepositoryUses {
  readonly repository: SearchableRepository;
  readonly lines: readonly UseLine[];
}

const repositoryOf = ({ repository }: RepositoryUses): SearchableRepository => repository;
const filesOf = ({ lines }: RepositoryUses): number => new Set(lines.map(({ path }) => path)).size;

function namesOf(repositories: readonly SearchableRepository[]): string {
  return listed(
    repositories.map(({ name }) => inlineCode(name)),
    max.listed,
  );
}

/** States the line of a repository that says most: of an import in the product, else of the product, else any. */
function usesSentence(inquiry: Inquiry, uses: RepositoryUses): Sentence {
  const { repository, path, line, text } = uses.lines.reduce((a, b) => (weightOf(b) > weightOf(a) ? b : a));
  const lines = { path, startLine: line, endLine: line, text, reason: 'use' };
  return [
    `${inlineCode(repository.name)}, ${counted(filesOf(uses), 'file')}, such as `,
    ...lineSentence({ repository, path, line, text }, placeSource(inquiry, repository, lines)),
  ];
}

function weightOf({ path, text }: UseLine): number {
  return (isProductPath(path) ? 2 : 0) + (imports.test(text) ? 1 : 0);
}
