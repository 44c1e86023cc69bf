import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';

/** Maximum length of a displayed client name, in code points. */
const maxCharacters = 80;

/** Normalizes a client's name to one line without invisible characters; `undefined` if nothing is left. */
export function cleanClientName(text: string): string | undefined {
  const name = visibleLine(text.slice(0, 2_000)).normalize('NFC').replaceAll(/\s+/gu, ' ').trim();
  // Counts code points, because a grapheme may consist of any number of them.
  const characters = Array.from(name);
  if (characters.length > maxCharacters) return `${characters.slice(0, maxCharacters - 1).join('')}…`;
  return name === '' ? undefined : name;
}
