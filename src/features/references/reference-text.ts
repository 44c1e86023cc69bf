import { counted } from '../../foundation/kernel/text/counted.ts';
import { shorten, visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import type { ReferencePage } from './reference-record.ts';

/** Maximum length of the text of a line, and of each other text of an item. */
const max = { line: 200, other: 100 } as const;

type Summary = Pick<
  ReferencePage,
  'name' | 'total' | 'certain' | 'possible' | 'text' | 'written' | 'elsewhere' | 'others' | 'definitions'
> & {
  /** Why lines may be missing, also as a newer service says it. */
  readonly incomplete?: string | undefined;
};

/** An item, also as a newer service sends it. */
interface ShownReference {
  readonly address: string;
  readonly line: string;
  readonly kind: string;
  readonly test: boolean;
  readonly certainty: string;
  readonly to?: string | undefined;
  readonly reason?: string | undefined;
}

/** Returns the first line of an answer: how many lines there are, and what is known of them. */
export function summaryOf(page: Summary): string {
  const { name, total, certain, possible, text, written, elsewhere, definitions, incomplete } = page;
  const shown = shorten(visibleLine(name), max.other);
  const others = [
    ...(elsewhere === 0 ? [] : [` ${counted(elsewhere, 'line')} more certainly mean another ${shown}.`]),
    ...(page.others === 0
      ? []
      : [
          ` ${counted(page.others, 'line')} more only have ${shown.split(/[^\p{L}\p{N}_$]/u).at(-1)}: ask for this name.`,
        ]),
  ].join('');
  // Without definitions all lines are found, and only less is known of them.
  const isCut = incomplete !== undefined && incomplete !== 'definitions';
  if (total === 0 && isCut) return `No line was found before the search stopped: \`${shown}\`.${others}`;
  if (total === 0) return `No line has \`${shown}\` as a whole word.${others}`;
  const lines = `${counted(total, 'line')}${isCut ? ' or more' : ''}`;
  const of = `${lines} with \`${shown}\`: ${certain} certain, ${possible} possible${written === 0 ? '' : ` (${written} by their written form, first)`}, ${text} by text only.`;
  const [only, second] = definitions;
  const defined = only !== undefined && second === undefined ? ` Defined at ${visibleLine(only)}.` : '';
  return `${of}${others}${defined}`;
}

/** Returns an item as one line: its address, what is known of it, and its text. */
export function lineOf({ address, line, kind, test, certainty, reason, to }: ShownReference): string {
  const why = reason === undefined ? '' : `: ${shorten(visibleLine(reason), max.other)}`;
  const target = to === undefined ? '' : `, to ${shorten(visibleLine(to), max.other)}`;
  const known =
    certainty === 'possible'
      ? ` (${reason === 'written' ? reason : `possible${target}${why}`})`
      : certainty === 'text' && kind !== 'text'
        ? ' (text)'
        : aliasOf(reason);
  return `${visibleLine(address)}: ${kind}${test ? ' in test' : ''}${known}: ${shorten(visibleLine(line).trim(), max.line)}`;
}

function aliasOf(reason: string | undefined): string {
  return reason?.startsWith('alias ') === true ? ` (${visibleLine(reason)})` : '';
}
