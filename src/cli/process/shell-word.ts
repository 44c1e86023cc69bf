import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';

/** Quotes a text for a POSIX shell. */
export function shellWord(text: string): string {
  const shown = visibleLine(text);
  return /["$`\\!]/.test(shown) ? `'${shown.replaceAll("'", "'\\''")}'` : `"${shown}"`;
}
