import { languageAliases, languageNames, languageOf } from '../../../backends/codesearch/port.ts';
import { manifestPaths } from '../../../backends/languages/port.ts';
import { escapePattern } from '../../../foundation/kernel/text/escape-pattern.ts';
import { stopWords } from '../../../foundation/kernel/text/words.ts';
import { closestRepository } from '../../search/repositories-in-scope.ts';
import { lastPart } from '../../search/symbol-name.ts';
import { searchFor } from '../evidence/line-source.ts';
import type { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { isNameOf } from '../question/named-repositories.ts';
import { inlineCode, namesOf } from '../text/markdown.ts';

/** Number of files in which a word is looked for. */
const maxFiles = 400;

/** Matches the end of a question that says where: "in monolog?", "dependencies of the shop repository". */
const place =
  /(?<!\bpulls?\s)\b(?:in|inside|within|dependencies of)\s+(?:(?:the|our)\s+)?`?([\p{L}\p{N}][\p{L}\p{N}._/-]{2,80}?)`?(\s+(?:repo|repository|project|codebase))?\s*[?.!]*\s*$/iu;

/** Matches a name with its owner that is a place or acts: "does pallets/flask", "of acme/web". */
const owned =
  /\b(?:in|inside|within|of|from|does|do|did|is|has|can)\s+[`"']?([\p{L}\p{N}-]{1,39}\/(?:[\w-]|\.(?=\w)){2,80})(?![\w/#@\\]|:\d)/iu;

/**
 * Answers that the repository in which something is asked for does not exist; of code, only one with its owner. A word
 * is one if it is called so, has the form of a name, or is near the name of a repository or rare; and if no file,
 * folder, definition or package has its name.
 */
export async function unknownRepositoryAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const { repositories, pending } = inquiry.ranked;
  const { head, kind, packages } = inquiry.question;
  // Code may be in any folder or file: only a name with its owner means a repository.
  const isOfCode = (kind === 'code' || kind === 'exists') && !Object.values(packages).includes(true);
  const found = (isOfCode ? null : place.exec(head.trimEnd())) ?? owned.exec(head);
  // The word is one for a repository after the name, such as "project".
  const [, name = '', word] = found ?? [];
  if (!/\p{L}/u.test(name) || stopWords.has(name.toLowerCase()) || isLanguage(name)) return undefined;
  if (repositories.some((one) => isNameOf(one, name))) return undefined;
  const nearest = closestRepository(
    name,
    repositories.map((one) => one.name),
  );
  const isCalledSo = word !== undefined || pending.some((one) => isNameOf(one, name));
  if (!isCalledSo && !(await meansRepository(inquiry, name, nearest))) return undefined;
  const near = nearest === undefined ? '' : ` The nearest name is ${inlineCode(nearest)}.`;
  const lead = `No searchable repository is called ${inlineCode(name)}.${near}`;
  const lines = [[lead], [`Repositories: ${namesOf(repositories)}.`]];
  return { lines, next: ['list_repositories'], passages: 0, isNotFound: true };
}

async function meansRepository(
  inquiry: Inquiry,
  name: string,
  nearest: string | undefined,
): Promise<boolean> {
  const { repositories } = inquiry.ranked;
  const path = `(?:^|/)${escapePattern(name)}(?:\\.\\w+)?(?:/|$)`;
  const [owner = '', own] = name.split('/');
  const defined = { kind: 'symbol', form: 'whole', text: lastPart(name), caseSensitive: false } as const;
  const asked = [
    { kind: 'regex', source: manifestPaths, caseSensitive: true, field: 'path' },
    { kind: 'word', text: name },
  ] as const;
  const operands = [
    { kind: 'regex', source: path, caseSensitive: false, field: 'path' },
    ...(own === undefined ? [defined, { kind: 'and', operands: asked } as const] : []),
  ] as const;
  const places = await searchFor(inquiry, { query: { kind: 'or', operands }, repositories, limit: 1 });
  if (places === undefined || places.files.length > 0) return false;
  // The words of "read/write" are in most repositories.
  const isOwner = repositories.some((one) => one.name.startsWith(`${owner}/`));
  if (own === undefined ? nearest !== undefined || /[\d._-]/u.test(name) : isOwner) return true;
  const query = { kind: 'literal', text: owner, caseSensitive: false, field: 'content' } as const;
  const found = await searchFor(inquiry, { query, repositories, limit: maxFiles });
  // A name in camelCase or PascalCase that files have is one of code, such as that of an import under another name.
  if (/\p{Ll}\p{Lu}/u.test(name) && found !== undefined && found.files.length > 0) return false;
  const having = new Set(found?.files.map(({ repository }) => repository));
  return found !== undefined && found.nextOffset === undefined && having.size * 2 < repositories.length;
}

/** Returns whether a name is that of a language, or a path of a file of one. */
function isLanguage(name: string): boolean {
  if (name.includes('/') && languageOf(name) !== 'Text') return true;
  const lower = name.toLowerCase();
  return languageAliases.has(lower) || languageNames.some((one) => one.toLowerCase() === lower);
}
