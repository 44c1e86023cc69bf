import { visibleLine } from '../../../foundation/kernel/visible-text.ts';

/**
 * Text that a stranger chose, for one line of a page: without characters that hide, reorder or break, and no longer
 * than `most` characters, an ellipsis among them.
 */
export function foreignText(text: string, most: number): string {
  const line = visibleLine(text).replaceAll(/\s+/gu, ' ').trim();
  const characters = Array.from(line.slice(0, most * 4));
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join('')}…`;
}
