import { withoutEnd } from '../../../foundation/kernel/text/cut-text.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import { readCommits } from '../evidence/past-commits.ts';
import { dayOf } from '../evidence/sources.ts';
import type { Inquiry } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';

/** The time since which a question asks for changes. */
interface Since {
  /** In seconds since 1970. */
  readonly time: number;
  readonly text: string;
}

const ago = /\b(?:last|past)\s+(?:(\d{1,3})\s+)?(day|week|month|year)s?\b/iu;
const date =
  /\b(?:since|after)\s+((?:19|20)\d\d(?:-\d\d){0,2}(?![\d.])|[a-z]{3,9}\s+(?:\d{1,2},?\s+)?(?:19|20)\d\d\b)/iu;
const version =
  /\b(?:since|after)\s+(?:the\s+)?(?:version\s+|release\s+|tag\s+)?v?(\d{1,5}(?:\.\d{1,6}){1,3})\b/iu;
const days = { day: 1, week: 7, month: 30, year: 365 } as const;
const secondsOfDay = 86_400;

/**
 * Returns the time since which a question asks for changes: a date, some time ago, or the commit whose subject says least
 * besides a version. Mirrors have no tags.
 */
export async function sinceOf(
  inquiry: Inquiry,
  repository: SearchableRepository,
): Promise<Since | undefined> {
  const { head } = inquiry.question;
  const [, day] = date.exec(head) ?? [];
  const written = Date.parse(`${day ?? ''} UTC`) / 1000;
  if (Number.isFinite(written)) return { time: written, text: dayOf(written) };
  const [, number = '1', unit = ''] = ago.exec(head) ?? [];
  if (unit !== '') {
    const span = Number(number) * days[unit.toLowerCase() as keyof typeof days];
    const time = Math.floor(Date.now() / 1000) - span * secondsOfDay;
    return { time, text: dayOf(time) };
  }
  const [, asked] = version.exec(head) ?? [];
  if (asked === undefined) return undefined;
  // The release 1.2.0 may be called 1.2.
  const names = [asked, asked.replace(/\.0$/u, '')].flatMap((one) => [one, `v${one}`]);
  const { commits } = await readCommits(inquiry, repository, { path: '', words: names });
  const [release] = commits
    .filter(({ subject }) => subject.split(/[^\w.]+/u).some((word) => names.includes(withoutEnd(word, '.'))))
    .toSorted((a, b) => a.subject.length - b.subject.length || a.time - b.time);
  return release && { time: release.time, text: `${inlineCode(asked)} (${dayOf(release.time)})` };
}
