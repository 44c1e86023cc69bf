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
/** Words before a name that say that it is a place or a thing that acts. */
const before =
  /(?:^|[^\p{L}])(?:in|inside|within|does|doesn't|did|can|is|has|will|of|by|from)\s+(?:the\s+|our\s+)?$/iu;
/** What ends a part of a sentence. */
const end = /^(?:\s*(?:[?.!,;:)]|$)|\s+(?:and|or|when|if|while)\b)/iu;
const acts = /(?:^|[^\p{L}])(?:does|doesn't|did|can|is|has|will)\s+(?:([\p{L}\p{N}-]+)\s+)?$/iu;
/** What precedes a further name: "in web-api and web". */
const joins = /(?:,|\b(?:and|or|vs|than))\s+$/iu;
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
  const lasts = new Set(repositories.map(({ name }) => lastOf(name.toLowerCase())));
  const certain = repositories.filter(({ name }) =>
    words.some((word) => isCertain(word, name, { head, lasts })),
  );
  if (certain.length > 0) {
    const isJoined = ({ text, at }: Word, name: string): boolean =>
      text.toLowerCase() === lastOf(name.toLowerCase()) && joins.test(head.slice(Math.max(0, at - 40), at));
    const also = ({ name }: Named): boolean => words.some((word) => isJoined(word, name));
    return { named: repositories.filter((one) => certain.includes(one) || also(one)), isCertain: true };
  }
  const plain = new Set(words.map(({ text }) => text.toLowerCase()));
  const isNamed = (name: string): boolean =>
    plain.has(name) || (isUsable(lastOf(name)) && plain.has(lastOf(name)));
  return { named: repositories.filter(({ name }) => isNamed(name.toLowerCase())), isCertain: false };
}

interface Word {
  readonly text: string;
  readonly at: number;
}

function wordsOf(text: string): readonly Word[] {
  return [...text.matchAll(/[\p{L}\p{N}_./-]+/gu)].map(({ 0: word, index }) => ({
    text: withoutEnd(word, './-'),
    at: index,
  }));
}

interface Around {
  readonly head: string;
  /** The last parts of the names of all repositories. */
  readonly lasts: ReadonlySet<string>;
}

function isCertain({ text, at }: Word, name: string, { head, lasts }: Around): boolean {
  const word = text.toLowerCase();
  const whole = name.toLowerCase();
  if (word === whole && /[/.-]/u.test(whole)) return true;
  const last = lastOf(word);
  const isSame = last === lastOf(whole) || last === withoutSuffix(lastOf(whole));
  if (!isSame || !isUsable(last)) return false;
  // A repository may be stored without its owner, which a reader writes before it.
  if (word !== last) return word.split('/').length === 2 && (word === whole || !whole.includes('/'));
  if (/[.-]/u.test(last)) return true;
  const left = head.slice(Math.max(0, at - 40), at);
  const right = head.slice(at + text.length, at + text.length + 40);
  return isWrittenAsName(left, right) || isActing(left, lasts);
}

/** Returns whether the text around a word marks it as a name: "in requests?", "requests: …", "requests's". */
function isWrittenAsName(left: string, right: string): boolean {
  if (left.endsWith('`') && right.startsWith('`')) return true;
  if (/^['’]s\b/u.test(right) || thing.test(right)) return true;
  if (before.test(left) && end.test(right)) return true;
  return left.trim() === '' && /^:\s/u.test(right);
}

/** Returns whether a word is what acts: "does mux", or "does gorilla mux" with the owner. */
function isActing(left: string, lasts: ReadonlySet<string>): boolean {
  const [does, between] = acts.exec(left) ?? [];
  if (between === undefined) return does !== undefined;
  return !lasts.has(between.toLowerCase()) && !stopWords.has(between.toLowerCase());
}

/** A short name or one that prose is full of names nothing by itself. */
function isUsable(last: string): boolean {
  return last.length > 2 && !stopWords.has(last);
}

/** Removes what the name of a repository says of its language: people call `commander.js` commander. */
function withoutSuffix(last: string): string {
  return last.replace(/[.-](?:js|ts|py|rs|go|rb)$/u, '');
}

function lastOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
