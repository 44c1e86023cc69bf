import { visibleLine } from '../../../foundation/kernel/visible-text.ts';

/** Characters of a client's name that pages and lists show. */
const maxCharacters = 80;

/** What a client calls itself, on one line and without what is not seen; `undefined` when nothing is left. */
export function cleanClientName(text: string): string | undefined {
  const name = visibleLine(text.slice(0, 2_000)).normalize('NFC').replaceAll(/\s+/gu, ' ').trim();
  // Code points and not what the eye takes for one: that may be made of any number of them.
  const characters = Array.from(name);
  if (characters.length > maxCharacters) return `${characters.slice(0, maxCharacters - 1).join('')}…`;
  return name === '' ? undefined : name;
}
