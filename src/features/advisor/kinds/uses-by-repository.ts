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
import { lineSentence } from './message.ts';

/**
 * Numbers of searches, of files that one returns, of repositories whose lines are shown, of names in a list, of words
 * besides the name up to which a question asks for nothing else, and of words that may be names.
 */
const max = { searches: 8, files: 400, shown: 8, listed: 20, otherWords: 3, names: 8 } as const;
const imports = /^\s*(?:import|from|use|using|require|include|#include|gem)\b/u;

interface RepositoryUses {
  readonly repository: SearchableRepository;
  files: number;
  /** True if it may have more files with the name. */
  readonly isCut: boolean;
  /** The line that says most: of an import in the product, else of the product, else any. */
  best: { readonly path: string; readonly line: number; readonly text: string; readonly weight: number };
}

const uses = String.raw`(?:us(?:es?|ed|ing)|depend(?:s|ing)?\s+(?:up)?on|rel(?:y|ies)\s+on|requires?|imports?|pulls?(?:\s+in)?)\b`;
/** Asks for uses of something, and for what uses it. */
const asksForUses = new RegExp(String.raw`\b${uses}`, 'iu');
const asksForUsers = new RegExp(String.raw`\b(?:who|what)\s+(?:(?:else|still|all)\s+)?${uses}`, 'iu');
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
  const { uses, isWhole } = await searchEach(inquiry, name);
  if (uses.length === 0) return undefined;
  const without = ranked.searched.filter(({ id }) => uses.every(({ repository }) => repository.id !== id));
  const shown = uses.slice(0, max.shown);
  return {
    lines: [
      [
        `${uses.length} of ${counted(ranked.searched.length, 'repository', 'repositories')} ${uses.length === 1 ? 'has' : 'have'} ${inlineCode(name)} as a word.`,
      ],
      ...shown.map((one) => usesSentence(inquiry, one)),
      ...(uses.length > shown.length
        ? [[`Also: ${namesOf(uses.slice(max.shown).map(({ repository }) => repository))}.`]]
        : []),
      ...(without.length > 0 && isWhole ? [[`None in ${namesOf(without)}.`]] : []),
    ],
    notes: isWhole ? [] : ['The search was cut short, so repositories may be missing.'],
    next: [`find_references name=${name}`],
    passages: 0,
  };
}

function namesOf(repositories: readonly SearchableRepository[]): string {
  return listed(
    repositories.map(({ name }) => inlineCode(name)),
    max.listed,
  );
}

function usesSentence(inquiry: Inquiry, { repository, files, isCut, best }: RepositoryUses): Sentence {
  const { path, line, text } = best;
  const lines = { path, startLine: line, endLine: line, text, reason: 'use' };
  return [
    `${inlineCode(repository.name)}, ${counted(files, 'file')}${isCut ? ' or more' : ''}, such as `,
    ...lineSentence({ repository, path, line, text }, placeSource(inquiry, repository, lines)),
  ];
}

/** Searches the repositories for a word, those again that a full result may have left out. */
async function searchEach(
  inquiry: Inquiry,
  name: string,
): Promise<{ readonly uses: readonly RepositoryUses[]; readonly isWhole: boolean }> {
  const uses = new Map<string, RepositoryUses>();
  let left = inquiry.ranked.searched;
  for (let searches = 0; left.length > 0 && searches < max.searches; searches++) {
    const limits = { limit: max.files, matchesPerFile: 5 };
    const asked = { text: name, form: 'word', field: 'content', repositories: left, ...limits } as const;
    const result = await searchText(inquiry, asked);
    if (result === undefined || result.incomplete !== undefined)
      return { uses: inOrder(uses), isWhole: false };
    const isCut = result.nextOffset !== undefined;
    for (const { repository: id, path, matches } of result.files) {
      const repository = left.find((one) => one.id === id);
      if (repository === undefined || matches.length === 0) continue;
      const best = matches
        .map((match) => ({ path, line: match.line, text: match.text, weight: weightOf(path, match.text) }))
        .reduce((a, b) => (b.weight > a.weight ? b : a));
      const known = uses.get(id);
      if (known === undefined) uses.set(id, { repository, files: 1, isCut, best });
      else {
        known.files += 1;
        if (best.weight > known.best.weight) known.best = best;
      }
    }
    left = isCut ? left.filter(({ id }) => !uses.has(id)) : [];
  }
  return { uses: inOrder(uses), isWhole: left.length === 0 };
}

function inOrder(uses: ReadonlyMap<string, RepositoryUses>): readonly RepositoryUses[] {
  return [...uses.values()].toSorted((a, b) => b.files - a.files);
}

function weightOf(path: string, text: string): number {
  return (isProductPath(path) ? 2 : 0) + (imports.test(text) ? 1 : 0);
}
