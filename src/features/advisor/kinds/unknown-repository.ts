import { languageOf } from '../../../backends/codesearch/port.ts';
import { stopWords } from '../../../foundation/kernel/text/words.ts';
import { closestRepository } from '../../search/repositories-in-scope.ts';
import type { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { isNameOf } from '../question/named-repositories.ts';
import type { Question } from '../question/read-question.ts';
import { inlineCode, namesOf } from '../text/markdown.ts';
import { isAbsent } from './absent.ts';

/** Matches the end of a question that says where: "in monolog?", "dependencies of the shop repository". */
const place =
  /(?<!\bpulls?\s)\b(?:in|inside|within|dependencies of)\s+(?:(?:the|our)\s+)?`?(?!(?:whole|entire|same|main|current|other)\b|v\d)(\p{L}[\p{L}\p{N}._/-]{2,80}?)`?(\s+(?:repo|repository|project|codebase))?\s*[?.!]*\s*$/iu;

/** Matches a name with its owner that is a place or acts: "does pallets/flask", "of acme/web". */
const owned =
  /\b(?:in|inside|within|of|from|does|do|did|is|has|can)\s+[`"']?(\p{L}[\p{L}\p{N}-]{0,38}\/(?:[\w-]|\.(?=\w)){2,80})(?![\w/#@\\]|:\d)/iu;

/** Answers that the repository in which something is asked for does not exist, if no file has its name. */
export async function unknownRepositoryAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const { repositories, pending } = inquiry.ranked;
  const { name, isCalledSo } = placeOf(inquiry.question);
  if (name === '' || repositories.some((one) => isNameOf(one, name))) return undefined;
  const isMeant = isCalledSo || pending.some((one) => isNameOf(one, name));
  // The words of "read/write" are in some file.
  const [owner = ''] = name.split('/');
  const isNowhere = isMeant || ((await isAbsent(inquiry, name)) && (await isAbsent(inquiry, owner)));
  if (!isNowhere) return undefined;
  const nearest = closestRepository(
    name,
    repositories.map((one) => one.name),
  );
  const near = nearest === undefined ? '' : ` The nearest name is ${inlineCode(nearest)}.`;
  const lead = `No searchable repository is called ${inlineCode(name)}.${near}`;
  const lines = [[lead], [`Repositories: ${namesOf(repositories)}.`]];
  return { lines, next: ['list_repositories'], passages: 0, isNotFound: true };
}

/**
 * Returns the name of what a question says it is about a part of, and whether that certainly is a repository. Code may
 * be in any folder or file: there, only a name with its owner, or one that is called a repository, may mean one.
 */
function placeOf({ head, kind, subject }: Question): { readonly name: string; readonly isCalledSo: boolean } {
  const [, name = '', word] = place.exec(head.trimEnd()) ?? owned.exec(head) ?? [];
  const isOfCode = kind === 'code' || kind === 'exists';
  const hasOwner = name.includes('/');
  const isAnyPlace = isOfCode && word === undefined && !hasOwner;
  const isFile = hasOwner && languageOf(name) !== 'Text';
  const isWord = stopWords.has(name.toLowerCase()) || subject.identifiers.includes(name);
  // "The user repository" of a question about code may be a class.
  return { name: isAnyPlace || isFile || isWord ? '' : name, isCalledSo: word !== undefined && !isOfCode };
}
