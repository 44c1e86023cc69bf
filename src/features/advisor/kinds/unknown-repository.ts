import { languageOf } from '../../../backends/codesearch/port.ts';
import { escapePattern } from '../../../foundation/kernel/text/escape-pattern.ts';
import { stopWords } from '../../../foundation/kernel/text/words.ts';
import { closestRepository } from '../../search/repositories-in-scope.ts';
import { searchFor } from '../evidence/line-source.ts';
import type { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { isNameOf } from '../question/named-repositories.ts';
import { inlineCode, namesOf } from '../text/markdown.ts';

/** Matches the end of a question that says where: "in monolog?", "dependencies of the shop repository". */
const place =
  /(?<!\bpulls?\s)\b(?:in|inside|within|dependencies of|(?:owns|maintains)(?= the \S+ repo))\s+(?:(?:the|our)\s+)?`?(?!(?:whole|entire|same|main|current|other)\b|v\d)(\p{L}[\p{L}\p{N}._/-]{2,80}?)`?(\s+(?:repo|repository|project|codebase))?(?:\s+(?:lately|recently))?\s*[?.!]*\s*$/iu;

/** Matches a name with its owner that is a place or acts: "does pallets/flask", "of acme/web". */
const owned =
  /\b(?:in|inside|within|of|from|owns|maintains|does|do|did|is|has|can)\s+[`"']?(\p{L}[\p{L}\p{N}-]{0,38}\/(?:[\w-]|\.(?=\w)){2,80})(?![\w/#@\\]|:\d|\.\w)/iu;

/** Number of files in which the owner of a repository is looked for. */
const maxFiles = 400;

/**
 * Answers that the repository in which something is asked for does not exist. Code may be in any folder or file: there,
 * only a name with its owner, or one that is called a repository, means one.
 */
export async function unknownRepositoryAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const { repositories, pending } = inquiry.ranked;
  const { name, isCalledSo } = placeOf(inquiry.question);
  if (name === '' || repositories.some((one) => isNameOf(one, name))) return undefined;
  const names = repositories.map((one) => one.name);
  const nearest = closestRepository(name, names);
  // "The user repository" of a question about code may be a class.
  const isMeant = (isCalledSo && !inquiry.question.isOfCode) || pending.some((one) => isNameOf(one, name));
  const isNear = isCalledSo || nearest !== undefined;
  if (!isMeant && !(await isNowhere(inquiry, name, isNear))) return undefined;
  const near = nearest === undefined ? '' : ` The nearest name is ${inlineCode(nearest)}.`;
  const lead = `No searchable repository is called ${inlineCode(name)}.${near}`;
  const lines = [[lead], [`Repositories: ${namesOf(repositories)}.`]];
  return { lines, next: ['list_repositories'], passages: 0, isNotFound: true };
}

/** Returns the name of what a question says it is about a part of, and whether it calls it a repository. */
function placeOf(question: Inquiry['question']): { readonly name: string; readonly isCalledSo: boolean } {
  const [, name = '', word] = place.exec(question.head.trimEnd()) ?? owned.exec(question.head) ?? [];
  const hasOwner = name.includes('/');
  const isFile = hasOwner && languageOf(name) !== 'Text';
  const isWord = stopWords.has(name.toLowerCase()) || question.subject.identifiers.includes(name);
  const isAnyPlace = question.isOfCode && word === undefined && !hasOwner;
  return { name: isFile || isWord || isAnyPlace ? '' : name, isCalledSo: word !== undefined };
}

/**
 * Returns whether no path has a name, and, unless it has an owner or is near the name of a repository, no file. The
 * owner has to be in the files of less than half of the repositories: the words of "read/write" are in most.
 */
async function isNowhere(inquiry: Inquiry, name: string, isNear: boolean): Promise<boolean> {
  const { repositories } = inquiry.ranked;
  const [owner = '', own] = name.split('/');
  const field = isNear || own !== undefined ? 'path' : 'any';
  const source = field === 'path' ? `(?:^|/)${escapePattern(name)}(?:[./]|$)` : escapePattern(name);
  const anywhere = { kind: 'regex', source, caseSensitive: false, field } as const;
  const found = await searchFor(inquiry, { query: anywhere, repositories, limit: 1 });
  if (found === undefined || found.incomplete !== undefined || found.files.length > 0) return false;
  if (own === undefined) return true;
  const query = { kind: 'literal', text: owner, caseSensitive: false, field: 'content' } as const;
  const having = await searchFor(inquiry, { query, repositories, limit: maxFiles });
  if (having === undefined || having.nextOffset !== undefined) return false;
  return new Set(having.files.map(({ repository }) => repository)).size * 2 < repositories.length;
}
