import { languageOf } from '../../../backends/codesearch/port.ts';
import { addTo } from '../../../foundation/kernel/add-to.ts';
import { withoutEnd } from '../../../foundation/kernel/text/cut-text.ts';
import { stopWords } from '../../../foundation/kernel/text/words.ts';
import { lastPart } from '../../search/repositories-in-scope.ts';

/** Maximum number of characters that are examined; the rest may be pasted text. */
const headLength = 2000;
/** Words before a name that show that it is a place, or that it acts. An apostrophe splits "doesn't". */
const places = new Set('in inside within of by from'.split(' '));
const auxiliaries = new Set('does t did can is has will'.split(' '));
/** Words that join two names, and that may stand between: "web-api's, and web", "by web and by web-api". */
const joining = new Set('and or vs versus with than against to from'.split(' '));
const between = new Set('s in by of the our how does do'.split(' '));
/** Matches what marks a word as a name: "requests's", "the requests library". */
const afterName =
  /^(?:['’]s\b|\s+(?:repo(?:sitory)?|library|package|project|codebase|module|middleware|framework|source|code)\b)/iu;
/** Matches the end of a part of a sentence. */
const end = /^(?:\s*(?:[?.!,;:)]|$)|\s+(?:and|or|when|if|while)\b)/iu;
const separator = /[._+-]/u;

/** A word of a prompt in lower case, with what follows its last slash and the repositories of this name. */
interface Word<Named> {
  readonly text: string;
  readonly last: string;
  /** Its first part, of a path or a name with a capital: `httpx/_api.py`, `httpx.Client`. */
  readonly owner: string;
  /** The text before and after it. */
  readonly left: string;
  readonly right: string;
  readonly ones: readonly Named[];
}

/**
 * Returns the repositories that a prompt names, by their whole name or its last part. A name that is also a word of
 * prose, such as `requests`, is certain only where the sentence or the way it is written shows a name: `in requests?`,
 * `does requests …`, `requests's`, or after its owner. Only repositories that are certainly meant are then searched.
 */
export function namedRepositories<Named extends { readonly name: string }>(
  prompt: string,
  repositories: readonly Named[],
): { readonly named: readonly Named[]; readonly isCertain: boolean } {
  const head = prompt.slice(0, headLength);
  const byLast = new Map<string, Named[]>();
  for (const one of repositories) for (const last of lastNames(one.name)) addTo(byLast, last, one);
  const words = [...head.matchAll(/[\p{L}\p{N}_./-]+/gu)].map(({ 0: raw, index }): Word<Named> => {
    const text = withoutEnd(raw, './-').toLowerCase();
    const last = lastPart(text);
    const [, owner = ''] = /^([^./]+)(?:\/|\.(?=.*\p{Lu}))/u.exec(raw) ?? [];
    const right = head.slice(index + text.length, index + text.length + 40);
    const ones = byLast.get(last) ?? [];
    return { text, last, owner: owner.toLowerCase(), left: head.slice(0, index), right, ones };
  });
  const certain = new Set([
    ...words.flatMap(({ ones }, at) => ones.filter(({ name }) => isCertain(words, at, name.toLowerCase()))),
    ...joinedNames(words),
  ]);
  if (certain.size > 0) return { named: [...certain], isCertain: true };
  const meant = new Set(
    words.flatMap(({ text, last, owner, ones }) => [
      ...ones.filter(({ name }) => text === name.toLowerCase() || (text === last && isUsable(last))),
      ...(isUsable(owner) ? (byLast.get(owner) ?? []) : []),
    ]),
  );
  return { named: repositories.filter((one) => meant.has(one)), isCertain: false };
}

/** Returns whether a word is the whole name of a repository or its last part; the owner may be missing in either. */
export function isNameOf({ name }: { readonly name: string }, word: string): boolean {
  const lower = word.toLowerCase();
  const own = name.includes('/') ? lower : lastPart(lower);
  return lower === name.toLowerCase() || lastNames(name).includes(own);
}

/**
 * Returns the last part of a name, also without the ending of a language, because people call `commander.js` commander,
 * and what follows the owner in a name such as `encode_httpcore`.
 */
function lastNames(name: string): readonly string[] {
  const last = lastPart(name.toLowerCase());
  const ending = last.split(separator).at(-1)!;
  const isLanguage = ending.length < 3 && languageOf(`a.${ending}`) !== 'Text';
  const ofOwner = last.slice(Math.max(last.lastIndexOf('_'), last.lastIndexOf('+')) + 1);
  return [...new Set([last, isLanguage ? last.slice(0, -1 - ending.length) : last, ofOwner])];
}

/** Returns the repositories whose names a comma or a word such as "and" joins to another one. */
function joinedNames<Named>(words: readonly Word<Named>[]): readonly Named[] {
  const names = [...words.entries()].filter(([, { last, ones }]) => isUsable(last) && ones.length > 0);
  return names.slice(1).flatMap(([at, word], before) => {
    const [start, former] = names[before]!;
    const inner = words.slice(start + 1, at).map(({ text }) => text);
    const isListed = word.left.slice(former.left.length).includes(',');
    const isJoined =
      (isListed || inner.some((one) => joining.has(one))) &&
      inner.length < 4 &&
      inner.every((one) => joining.has(one) || between.has(one));
    return word.last !== former.last && isJoined ? [...former.ones, ...word.ones] : [];
  });
}

/** Returns whether the word at an index certainly means the repository with a name in lower case. */
function isCertain<Named>(words: readonly Word<Named>[], at: number, name: string): boolean {
  const { text, last } = words[at]!;
  const hasOwner = name.includes('/');
  if (text === name && (hasOwner || separator.test(name))) return true;
  if (!isUsable(last)) return false;
  // A repository may be stored without its owner, which a reader writes before it.
  if (text !== last) return text.split('/').length === 2 && (text === name || !hasOwner);
  return separator.test(last) || isWrittenAsName(words[at]!) || isPlaceOrActs(words, at);
}

/** Returns whether the text around a word marks it as a name: "`requests`", "requests: …". */
function isWrittenAsName<Named>({ left, right }: Word<Named>): boolean {
  if (right.startsWith('`')) return left.endsWith('`');
  return afterName.test(right) || (left === '' && right.startsWith(': '));
}

/** Returns whether a word is a place or what acts: "in requests?", "does mux", or "does gorilla mux" with the owner. */
function isPlaceOrActs<Named>(words: readonly Word<Named>[], at: number): boolean {
  const [before = '', last = ''] = [words[at - 2]?.text, words[at - 1]?.text];
  const isArticle = last === 'the' || last === 'our';
  const word = isArticle ? before : last;
  if (places.has(word) || (isArticle && auxiliaries.has(word))) return end.test(words[at]!.right);
  const isOwner = !isArticle && words[at - 1]?.ones.length === 0 && !stopWords.has(last);
  return auxiliaries.has(word) || (isOwner && auxiliaries.has(before));
}

/** Returns whether a name can mean its repository: short ones and stop words cannot. */
function isUsable(last: string): boolean {
  return last.length > 2 && !stopWords.has(last);
}
