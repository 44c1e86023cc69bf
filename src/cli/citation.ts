import { shortCommit } from '../foundation/kernel/short-commit.ts';
import { visibleLine, visibleText } from '../foundation/kernel/visible-text.ts';
import type { Channel } from './frame/channel.ts';

/** A source of an answer, as far as a line of text shows it. */
export interface Cited {
  readonly n: number;
  readonly repository?: string | undefined;
  readonly path?: string | undefined;
  readonly startLine?: number | undefined;
  readonly endLine?: number | undefined;
  readonly commit?: string | undefined;
  readonly url: string;
  readonly title: string;
}

/** The answer, then its sources by their numbers. All of it may quote third-party text and is made visible here. */
export function answerInWords(answer: string, citations: readonly Cited[], channel: Channel): string {
  const sources = citations.map((cited) => citationInWords(cited, channel));
  return [visibleText(answer), ...(sources.length > 0 ? ['', ...sources] : [])].join('\n');
}

function citationInWords(cited: Cited, channel: Channel): string {
  const url = channel.style('dim', visibleLine(cited.url));
  return `${channel.style('cyan', `[${cited.n}]`)} ${visibleLine(placeOf(cited))}\n    ${url}`;
}

function placeOf({ repository, path, startLine, endLine, commit, title }: Cited): string {
  if (path === undefined) return title;
  const lines = startLine === undefined ? '' : `:${startLine}-${endLine ?? startLine}`;
  const at = commit === undefined ? '' : ` @ ${shortCommit(commit)}`;
  return `${repository === undefined ? '' : `${repository}/`}${path}${lines}${at}`;
}
