import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import { focusLine } from '../../sources/focus-line.ts';
import { rarityAmong } from '../../text/rarity.ts';
import { stemsOf } from '../../text/split-words.ts';
import { chooseDefinition } from '../definitions/choose-definition.ts';
import type { Inquiry } from '../inquiry.ts';
import type { Target } from '../targets/target.ts';

/** Lines that a question may be about. */
export interface LinesAsked {
  readonly repository: RepositoryId;
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  /** The likelihood that they are meant: 1 for lines that were found, more for those that the question quotes. */
  readonly weight: number;
}

/** Number of definitions whose lines are examined, and of lines of one. */
const max = { definitions: 2, lines: 600 } as const;
/** Number of lines from the one with most words of the question on, and of lines of a definition that is short. */
const focus = { lines: 6, short: 12 } as const;
/** Weight of a definition as a whole, while its best lines have 1, and of a line that the question quotes. */
const wholeWeight = 0.8;
const quotedWeight = 1.5;
/** Least share of the score of the best definition. */
const minShare = 0.5;

/** Returns the lines of a definition that is meant, or else those of the definitions that fit the question best. */
export async function linesAsked(
  inquiry: Inquiry,
  target: Target | undefined,
): Promise<readonly LinesAsked[]> {
  const named = target && wholeLines(inquiry, target);
  const wholes = named === undefined ? await bestLines(inquiry) : [named];
  const parts = await Promise.all(wholes.slice(0, 1).map((one) => focusOf(inquiry, one)));
  return [...parts.flatMap((one) => one ?? []), ...wholes];
}

/** Returns the lines of a definition that the graph knows. */
function wholeLines({ ranked }: Inquiry, { node, path, repositoryId }: Target): LinesAsked | undefined {
  const repository = ranked.repositories.find(({ id }) => id === repositoryId)?.id;
  const { startLine, endLine } = node.props;
  if (repository === undefined || node.kind !== 'symbol' || typeof startLine !== 'number') return undefined;
  const last = typeof endLine === 'number' ? Math.max(startLine, endLine) : startLine;
  return { repository, path, startLine, endLine: last, weight: wholeWeight };
}

async function bestLines(inquiry: Inquiry): Promise<readonly LinesAsked[]> {
  const { best } = await chooseDefinition(inquiry);
  const top = best[0]?.score ?? 0;
  return best
    .filter(({ score }) => score >= minShare * top)
    .slice(0, max.definitions)
    .map(({ file: { repository, path }, definition: { startLine, endLine }, score }) => ({
      repository,
      path,
      startLine,
      endLine,
      weight: wholeWeight * (score / top),
    }));
}

/** Returns the line that the question quotes, or else the lines of a long definition that say most of it. */
async function focusOf(
  { deps, scope, signal, ranked }: Inquiry,
  { repository, path, startLine, endLine, weight }: LinesAsked,
): Promise<LinesAsked | undefined> {
  const file = await deps.sources.readFile(scope, { repository, path }, signal);
  const lines = file?.content?.split(/\r?\n/u);
  if (lines === undefined) return undefined;
  const to = Math.min(endLine, lines.length, startLine + max.lines);
  const whole = { repository, path, weight: weight / wholeWeight };
  const body = lines.slice(startLine - 1, to);
  const quotedAt = lineOfQuote(body, ranked.subject.phrases);
  if (quotedAt !== undefined) {
    const line = startLine + quotedAt;
    return { ...whole, startLine: line, endLine: line, weight: quotedWeight };
  }
  if (to - startLine < focus.short) return undefined;
  const rarityOf = rarityAmong(body.map((line) => new Set(stemsOf(line))));
  const at = focusLine({ lines, from: startLine, to }, ranked.subject.terms, rarityOf);
  return at === undefined
    ? undefined
    : { ...whole, startLine: at, endLine: Math.min(to, at + focus.lines - 1) };
}

/** Returns which of some lines contains a quoted text, whatever white space is in it. */
function lineOfQuote(lines: readonly string[], phrases: readonly string[]): number | undefined {
  const texts = lines.map((line) => line.replaceAll(/\s+/gu, ''));
  for (const phrase of phrases) {
    const wanted = phrase.replaceAll(/\s+/gu, '');
    const at = wanted.length < 4 ? -1 : texts.findIndex((line) => line.includes(wanted));
    if (at >= 0) return at;
  }
  return undefined;
}
