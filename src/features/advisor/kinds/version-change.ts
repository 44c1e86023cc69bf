import { stopWords } from '../../../foundation/kernel/text/words.ts';
import type { PastCommit } from '../evidence/sources.ts';

/** A version whose support a question asks about: "why was Python 3.7 dropped", "since when does it require Node 20". */
interface AskedVersion {
  /** What it is a version of, in lower case. */
  readonly product: string;
  readonly version: readonly number[];
  readonly isDropped: boolean;
}

/** A commit whose subject fits: at `exactLevel` it says it, at 2 what includes it, at 1 only for a part such as tests. */
interface FittingCommit extends VersionFit {
  readonly commit: PastCommit;
}

interface VersionFit {
  readonly level: number;
  /** How far off the version is that a commit names. */
  readonly distance: number;
}

export const exactLevel = 3;
const noFit: VersionFit = { level: 0, distance: 0 };

/** Verbs that end the support of a version, and that begin to require one. To require a version drops those before it. */
const ends = /\b(?:drop|remov|stop|end(?:s|ed|ing)?\b|discontinu|delet|no longer)/iu;
const requires = /\b(?:requir|need|adopt|bump|mov|rais|upgrad|engines)|minimum/iu;
/** The beginnings of words that commits which drop or require a version have. */
export const versionWords = ['drop', 'remov', 'requir', 'minimum', 'adopt', 'bump'];
/** How far off a version that was dropped before the required one may be. */
const maxDistance = 2;
/** Words between the verb, the product and the version. */
const small = new Set(
  'a an all and below cpython drop dropped for js minimum minimal of official or support supporting supported the to v version versions'.split(
    ' ',
  ),
);
/** What follows the version of which a message says that it is dropped or required, and not only for a part. */
const rest =
  /^\W*$|^ ?[(#,.;:!]|^ (?:support|as|and|minimum|now|is)\b|^ or (?:later|newer|higher|above)\W*(?:$|\()/iu;
const aside = /^\W*(?:ci|tests?|docs?|style)\b/iu;

/** Returns the version of a product that a question asks about, if it asks for the end or begin of its support. */
export function askedVersion(head: string, repositories: readonly string[]): AskedVersion | undefined {
  const isDropped = ends.test(head);
  if (!isDropped && !requires.test(head)) return undefined;
  const words = head.split(/[\s@]+/u);
  for (const [at, word] of words.entries()) {
    const version = numbersOf(word);
    const isSaid = (one: string): boolean =>
      small.has(one.toLowerCase()) || ends.test(one) || requires.test(one);
    const product = productOf(words.slice(0, at).findLast((one) => !isSaid(one)) ?? '');
    const isName = product.length > 1 && !stopWords.has(product) && !repositories.includes(product);
    if (version !== undefined && isName) return { product, version, isDropped };
  }
  return undefined;
}

/** Returns the commits whose subjects fit, the best first, and of equal ones the oldest. */
export function byVersion(commits: readonly PastCommit[], asked: AskedVersion): readonly FittingCommit[] {
  return commits
    .map((commit) => ({ commit, ...versionFit(commit, asked) }))
    .filter(({ level }) => level > 0)
    .toSorted((a, b) => b.level - a.level || a.distance - b.distance || a.commit.time - b.commit.time);
}

function productOf(word: string): string {
  return word.toLowerCase().replace(/\.?js$/u, '');
}

/** Returns the numbers of a version such as `v3.7`, `>=20+` or `20?`, without zeros at its end. */
function numbersOf(word: string): readonly number[] | undefined {
  const digits = /^[<>=^~]{0,2}v?(\d{1,4}(?:\.\d{1,4}){0,3})\+?[?!.,;:)]*$/iu.exec(word)?.[1];
  const numbers = digits?.split('.').map(Number);
  return numbers?.slice(0, 1 + numbers.findLastIndex((number, at) => at === 0 || number > 0));
}

/** What a subject says of the versions after a place in it. */
interface Said {
  readonly start: number;
  readonly doesEnd: boolean;
  readonly doesRequire: boolean;
}

/** Returns the verb of a subject for the versions of a product; without the product, of "drop support for 8.0". */
function saidOf(words: readonly string[], product: string): Said {
  const names = new Set([product, `c${product}`, `engines.${product}`]);
  const named = words.findIndex((word) => names.has(productOf(word)));
  const start = named < 0 ? words.indexOf('for') : named;
  const verbAt = words.slice(0, start + 1).findLastIndex((word) => ends.test(word) || requires.test(word));
  const verb = words[verbAt] ?? '';
  const isNear = words.slice(verbAt + 1, start).every((word) => small.has(word.toLowerCase()));
  const isMinimum = /\bminimum\b(?! of)/iu.test(words.join(' '));
  return {
    start: start < 0 ? words.length : start,
    doesEnd: isNear && ends.test(verb),
    doesRequire: named >= 0 && ((isNear && requires.test(verb)) || isMinimum),
  };
}

/** Returns how the subject of a commit fits the end or begin of the support of a version. */
function versionFit({ subject }: PastCommit, asked: AskedVersion): VersionFit {
  const words = [...subject.matchAll(/[^\s@,/"'`()]+/gu)];
  const said = saidOf(
    words.map(([word]) => word),
    asked.product,
  );
  let best = noFit;
  for (const { 0: word, index } of words.slice(said.start + 1)) {
    const found = numbersOf(word);
    if (found === undefined && !small.has(word.toLowerCase())) break;
    if (found === undefined) continue;
    const order = compare(found, asked.version);
    const isWhole = rest.test(subject.slice(index + word.length)) && !aside.test(subject);
    const level = levelOf(order, word.startsWith('<'), said, asked.isDropped);
    const fit = { level: isWhole ? level : Number(level === exactLevel), distance: Math.abs(order) };
    if (fit.level > best.level) best = fit;
  }
  return best;
}

/** Returns how a version that is before, after or the asked one fits. `<8.1` is dropped where 8.1 is required. */
function levelOf(
  order: number,
  isBound: boolean,
  { doesEnd, doesRequire }: Said,
  isDropped: boolean,
): number {
  const begins = doesRequire || (isBound && doesEnd);
  if (order === 0) return (isDropped ? doesEnd && !isBound : begins) ? exactLevel : 0;
  const includes = isDropped ? order > 0 && begins : order < 0 && order >= -maxDistance && doesEnd;
  return includes ? 2 : 0;
}

/** Compares versions by their first different numbers. */
function compare(one: readonly number[], other: readonly number[]): number {
  for (let at = 0; at < Math.max(one.length, other.length); at++) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0);
    if (difference !== 0) return difference * 1000 ** -at;
  }
  return 0;
}
