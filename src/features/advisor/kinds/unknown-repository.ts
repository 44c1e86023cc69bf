import { languageAliases, languageNames, languageOf, type Query } from '../../../backends/codesearch/port.ts';
import { escapePattern } from '../../../foundation/kernel/text/escape-pattern.ts';
import { listed } from '../../../foundation/kernel/text/listed.ts';
import { stopWords } from '../../../foundation/kernel/text/words.ts';
import { closestRepository } from '../../search/repositories-in-scope.ts';
import { lastPart } from '../../search/symbol-name.ts';
import { searchFor, searchText } from '../evidence/line-source.ts';
import type { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { isNameOf } from '../question/named-repositories.ts';
import { inlineCode } from '../text/markdown.ts';

/** Numbers of repositories that are named, and of files in which a word is looked for. */
const max = { named: 8, files: 400 } as const;

/** Matches the end of a question that says where: "in monolog?", "dependencies of the shop repository". */
const place =
  /(?<!\bpulls?\s)\b(?:in|inside|within|dependencies of)\s+(?:(?:the|our)\s+)?`?([\p{L}\p{N}][\p{L}\p{N}._/-]{2,80}?)`?(\s+(?:repo|repository|project|codebase))?\s*[?.!]*\s*$/iu;

/** Matches a name with its owner that is a place or acts: "does pallets/flask", "of acme/web". */
const owned =
  /\b(?:in|inside|within|of|from|does|do|did|is|has|can)\s+[`"']?((?:[\p{L}\p{N}-]{1,39})\/(?:[\w-]|\.(?=\w)){2,80})(?![\w/#@\\]|:\d)/giu;

/**
 * Answers that a repository that a question names with its owner does not exist, if no path has this name, and the owner
 * has other repositories or a name that is rare in files: words such as "read/write" are not.
 */
export async function unknownOwnerAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const { repositories, pending } = inquiry.ranked;
  const all = [...repositories, ...pending].map((one) => one.name.toLowerCase());
  for (const [, name = ''] of inquiry.question.head.matchAll(owned)) {
    const [owner = '', own = ''] = name.toLowerCase().split('/');
    if (all.includes(`${owner}/${own}`) || all.includes(own) || languageOf(name) !== 'Text') continue;
    const isOwner = all.some((one) => one.startsWith(`${owner}/`));
    if ((await hasPlace(inquiry, name, [])) || !(isOwner || (await isRare(inquiry, owner)))) continue;
    return unknownFinding(inquiry, name, closestRepository(name, all));
  }
  return undefined;
}

/**
 * Answers that the repository in which something is asked for does not exist. A word is one if it is called so, has the
 * form of a name, or is near the name of a repository or rare; and if no file, folder or definition has its name.
 */
export async function unknownRepositoryAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const { repositories, pending } = inquiry.ranked;
  const [, name = '', kind] = place.exec(inquiry.question.head.trimEnd()) ?? [];
  if (name === '' || stopWords.has(name.toLowerCase()) || isLanguage(name)) return undefined;
  if (repositories.some((one) => isNameOf(one, name))) return undefined;
  const names = repositories.map((one) => one.name);
  const nearest = closestRepository(name, names);
  const isCalledSo = kind !== undefined || pending.some((one) => isNameOf(one, name));
  if (!isCalledSo && !(await meansRepository(inquiry, name, nearest))) return undefined;
  return unknownFinding(inquiry, name, nearest);
}

function unknownFinding({ ranked }: Inquiry, name: string, nearest: string | undefined): Finding {
  const near = nearest === undefined ? '' : ` The nearest name is ${inlineCode(nearest)}.`;
  const all = listed(
    ranked.repositories.map((one) => inlineCode(one.name)),
    max.named,
  );
  const lead = `No searchable repository is called ${inlineCode(name)}.${near}`;
  const lines = [[lead], [`Repositories: ${all}.`]];
  return { lines, next: ['list_repositories'], passages: 0, isNotFound: true };
}

async function meansRepository(
  inquiry: Inquiry,
  name: string,
  nearest: string | undefined,
): Promise<boolean> {
  const defined = { kind: 'symbol', form: 'whole', text: lastPart(name), caseSensitive: false } as const;
  if (await hasPlace(inquiry, name, [defined])) return false;
  return nearest !== undefined || /[\d._/-]/u.test(name) || isRare(inquiry, name);
}

/** Returns whether a file or folder has a name as its path or the end of it, or other queries have a result. */
async function hasPlace(inquiry: Inquiry, name: string, others: readonly Query[]): Promise<boolean> {
  const { repositories } = inquiry.ranked;
  const source = `(?:^|/)${escapePattern(name)}(?:\\.\\w+)?(?:/|$)`;
  const operands = [{ kind: 'regex', source, caseSensitive: false, field: 'path' }, ...others] as const;
  const places = await searchFor(inquiry, { query: { kind: 'or', operands }, repositories, limit: 1 });
  return places === undefined || places.files.length > 0;
}

/** Returns whether less than half of the repositories have a word that is not written as a name of code. */
async function isRare(inquiry: Inquiry, name: string): Promise<boolean> {
  const { repositories } = inquiry.ranked;
  const search = { text: name, field: 'content', repositories, limit: max.files } as const;
  const found = await searchText(inquiry, { ...search, caseSensitive: false });
  // A name in camelCase or PascalCase that files have is one of code, such as that of an import under another name.
  if (/\p{Ll}\p{Lu}/u.test(name) && found !== undefined && found.files.length > 0) return false;
  const having = new Set(found?.files.map(({ repository }) => repository));
  return found !== undefined && found.nextOffset === undefined && having.size * 2 < repositories.length;
}

function isLanguage(name: string): boolean {
  const lower = name.toLowerCase();
  return languageAliases.has(lower) || languageNames.some((one) => one.toLowerCase() === lower);
}
