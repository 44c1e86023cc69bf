import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import { asksForLately, isLately } from '../../question/lately.ts';
import type { Inquiry } from '../inquiry.ts';
import { readSourcePast } from './past.ts';
import { isRelease } from './releases.ts';

/** Returns a factor for the time of a commit by that of the newest one, in seconds since 1970. */
export type TimeFactor = (time: number, newest: number) => number;

/** Factors of a commit within the time that a question says, and of another one. */
const factors = { within: 1.15, outside: 0.87 } as const;
const secondsOfYear = 365 * 86_400;
/** The years before a release in which its changes were made. */
const yearsBeforeRelease = 2.5;
const year = /\b(?:in|since|around|of|before|until) (?:\w+ )?(20[0-3]\d)\b/iu;

/** Reads which time a question says: a version, a year or that it was lately. Without any, all times are alike. */
export async function askedTime(inquiry: Inquiry, repository: RepositoryId | undefined): Promise<TimeFactor> {
  const { prompt, ranked, asked } = inquiry;
  const text = prompt.slice(0, maxRead);
  const version = versionIn(
    text,
    ranked.repositories.map(({ name }) => name),
  );
  const released =
    version === undefined || repository === undefined
      ? undefined
      : await releaseTime(inquiry, repository, version);
  if (released !== undefined) return within(released - yearsBeforeRelease * secondsOfYear, released);
  const [, named] = year.exec(text) ?? [];
  if (named !== undefined) return within(Date.UTC(Number(named)) / 1000, Date.UTC(Number(named) + 1) / 1000);
  return asksForLately(asked) ? ofLately : () => 1;
}

const maxRead = 2000;

function ofLately(time: number, newest: number): number {
  return isLately(time, newest) ? factors.within : factors.outside;
}

function within(from: number, to: number): TimeFactor {
  return (time) => (time >= from && time <= to ? factors.within : factors.outside);
}

/**
 * Returns the version that a question says something changed with: "since 2.1", "in version 3", "since koa 3".
 * @internal Exported for its test.
 */
export function versionIn(text: string, names: readonly string[]): string | undefined {
  const before = ['version', 'release', 'v', ...names]
    .map((name) => name.replaceAll(/[$()*+.?[\\\]^{|}]/gu, '\\$&'))
    .join('|');
  const named = new RegExp(`\\b(?:${before})\\s?v?(\\d{1,3}(?:\\.\\d+){0,2})(?![\\w.]{0,20}\\d)`, 'iu').exec(
    text,
  )?.[1];
  return (
    named ?? /\b(?:since|from|until|in|with|to|before|after) v?(\d{1,3}(?:\.\d+){1,2})\b/iu.exec(text)?.[1]
  );
}

/** Returns when a version was released, by the commit that made it; `undefined` if none is known. */
async function releaseTime(
  inquiry: Inquiry,
  repository: RepositoryId,
  version: string,
): Promise<number | undefined> {
  const first = version.includes('.') ? version : `${version}.0`;
  const past = await readSourcePast(inquiry, { repository, path: '', words: [first] });
  const times = (past?.changes ?? [])
    .filter(({ message }) => releases(message.split('\n', 1)[0] ?? '', first))
    .map(({ time }) => time);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Returns whether a subject is that of the release of a version, and not of one before it such as `3.0.0-beta.1`. */
function releases(subject: string, version: string): boolean {
  const at = subject.indexOf(version);
  if (at < 0 || /[\d.]/u.test(subject[at - 1] ?? '') || !isRelease(subject)) return false;
  return /^(?:\.0)*(?![\w.-]*\d|[.-]?(?:a|b|rc|alpha|beta|dev|pre))/iu.test(
    subject.slice(at + version.length),
  );
}
