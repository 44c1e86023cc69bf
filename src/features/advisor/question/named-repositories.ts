import { withoutEnd } from '../../../foundation/kernel/text/cut-text.ts';
import { stopWords } from '../../../foundation/kernel/text/words.ts';

/** The repositories that a prompt names. */
interface NamedRepositories<Named> {
  readonly named: readonly Named[];
  /** True if they are certainly meant: only they are searched then. */
  readonly isCertain: boolean;
}

/** Maximum number of characters that are examined; the rest may be pasted text. */
const headLength = 2000;
/** Words before a name that show that it is a place, or that it acts. An apostrophe splits "doesn't". */
const places = new Set('in inside within of by from'.split(' '));
const auxiliaries = new Set('does t did can is has will'.split(' '));
/** Words that join two names, and that may stand between: "web-api's, and web", "by web and by web-api". */
const joining = new Set('and or vs versus with than against to from'.split(' '));
const between = new Set('s in by of the our how does do'.split(' '));
/** Matches the end of a part of a sentence. */
const end = /^(?:\s*(?:[?.!,;:)]|$)|\s+(?:and|or|when|if|while)\b)/iu;
const thing =
  /^\s+(?:repo(?:sitory)?|library|package|project|codebase|module|middleware|framework|source|code)\b/iu;

/**
 * Returns the repositories that a prompt names, by their whole name or its last part. A name that is also a word of
 * prose, such as `requests`, is certain only where the sentence or the way it is written shows a name: `in requests?`,
 * `does requests …`, `requests's`, or after its owner.
 */
export function namedRepositories<Named extends { readonly name: string }>(
  prompt: string,
  repositories: readonly Named[],
): NamedRepositories<Named> {
  const head = prompt.slice(0, headLength);
  const words = wordsOf(head);
  const byLast = new Map<string, Named[]>();
  for (const one of repositories)
    for (const last of lastNames(one.name)) byLast.set(last, [...(byLast.get(last) ?? []), one]);
  const isLast = (text: string): boolean => byLast.has(text);
  const named = words.map((word, index) => ({ word, index, ones: byLast.get(word.last) ?? [] }));
  const joined = joinedNames(words, head, isLast).flatMap((last) => byLast.get(last) ?? []);
  const certain = new Set([
    ...named.flatMap(({ index, ones }) =>
      ones.filter(({ name }) => isCertain(index, name, { words, head, isLast })),
    ),
    ...joined,
  ]);
  if (certain.size > 0) return { named: [...certain], isCertain: true };
  // `httpx.Client` is a name of `httpx`.
  const owners = Array.from(head.matchAll(/(?<![\p{L}\p{N}_./-])([\p{L}\p{N}_-]+)\.\p{Lu}/gu), ([, one]) =>
    one!.toLowerCase(),
  );
  const meant = new Set([
    ...named.flatMap(({ word: { text, last }, ones }) =>
      ones.filter(({ name }) => text === name.toLowerCase() || (text === last && isUsable(last))),
    ),
    ...owners.filter(isUsable).flatMap((owner) => byLast.get(owner) ?? []),
  ]);
  return { named: repositories.filter((one) => meant.has(one)), isCertain: false };
}

/** Returns whether a word is the whole name of a repository or its last part. */
export function isNameOf({ name }: { readonly name: string }, word: string): boolean {
  const lower = word.toLowerCase();
  return lower === name.toLowerCase() || lastNames(name).includes(lower);
}

/**
 * Returns the last part of a name, also without what it says of a language, because people call `commander.js`
 * commander, and what follows the owner in a name such as `encode_httpcore`.
 */
function lastNames(name: string): readonly string[] {
  const last = lastOf(name.toLowerCase());
  const parts = [
    last.replace(/[.-](?:js|ts|py|rs|go|rb)$/u, ''),
    last.slice(last.search(/[_+][^_+]+$/u) + 1),
  ];
  return [...new Set([last, ...parts])];
}

/** A word of a prompt in lower case, with what follows its last slash. */
interface Word {
  readonly text: string;
  readonly last: string;
  readonly at: number;
}

function wordsOf(head: string): readonly Word[] {
  return [...head.matchAll(/[\p{L}\p{N}_./-]+/gu)].map(({ 0: word, index: at }) => {
    const text = withoutEnd(word, './-').toLowerCase();
    return { text, last: lastOf(text), at };
  });
}

/** Returns the names that a comma or a word such as "and" joins to another one. */
function joinedNames(words: readonly Word[], head: string, isLast: Around['isLast']): readonly string[] {
  const names = [...words.entries()].filter(([, { last }]) => isUsable(last) && isLast(last));
  return names.slice(1).flatMap(([index, { last, at }], before) => {
    const [start, former] = names[before]!;
    const inner = words.slice(start + 1, index).map(({ text }) => text);
    const hasComma = head.slice(former.at, at).includes(',');
    const isJoined =
      (hasComma || inner.some((word) => joining.has(word))) &&
      inner.length < 4 &&
      inner.every((word) => joining.has(word) || between.has(word));
    return last !== former.last && isJoined ? [former.last, last] : [];
  });
}

interface Around {
  readonly words: readonly Word[];
  readonly head: string;
  /** Returns whether a text is the last part of the name of a repository. */
  readonly isLast: (text: string) => boolean;
}

/** Returns whether the word at an index certainly means the repository with a name. */
function isCertain(index: number, name: string, around: Around): boolean {
  const { text, last } = around.words[index]!;
  const whole = name.toLowerCase();
  if (text === whole && /[/._-]/u.test(whole)) return true;
  if (!isUsable(last)) return false;
  // A repository may be stored without its owner, which a reader writes before it.
  if (text !== last) return text.split('/').length === 2 && (text === whole || !whole.includes('/'));
  return /[.-]/u.test(last) || isWrittenAsName(index, around) || isPlaceOrActs(index, around);
}

/** Returns whether the text around a word marks it as a name: "`requests`", "requests: …", "requests's". */
function isWrittenAsName(index: number, { words, head }: Around): boolean {
  const { at } = words[index]!;
  const right = textAfter(words[index]!, head);
  if (head[at - 1] === '`' && right.startsWith('`')) return true;
  return /^['’]s\b/u.test(right) || thing.test(right) || (index === 0 && right.startsWith(': '));
}

/** Returns whether a word is a place or what acts: "in requests?", "does mux", or "does gorilla mux" with the owner. */
function isPlaceOrActs(index: number, { words, head, isLast }: Around): boolean {
  const before = words.slice(Math.max(0, index - 2), index).map((word) => word.text);
  const isArticle = ['the', 'our'].includes(before.at(-1) ?? '');
  const word = before.at(isArticle ? -2 : -1) ?? '';
  if (places.has(word) || (isArticle && auxiliaries.has(word)))
    return end.test(textAfter(words[index]!, head));
  const isOwner = !isLast(word) && !stopWords.has(word);
  return auxiliaries.has(word) || (isOwner && auxiliaries.has(before.at(-2) ?? ''));
}

/** Returns the beginning of the text after a word. */
function textAfter({ text, at }: Word, head: string): string {
  return head.slice(at + text.length, at + text.length + 40);
}

/** Returns whether a name can mean its repository: short ones and stop words cannot. */
function isUsable(last: string): boolean {
  return last.length > 2 && !stopWords.has(last);
}

function lastOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
