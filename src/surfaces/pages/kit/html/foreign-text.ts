import { visibleLine } from '../../../../foundation/kernel/text/visible-text.ts';

/**
 * Sanitizes untrusted text for one line of a page: removes characters that hide, reorder or break text, and truncates
 * it to `max` characters including the ellipsis.
 */
export function foreignText(text: string, max: number): string {
  const line = visibleLine(text).replaceAll(/\s+/gu, ' ').trim();
  const characters = Array.from(line.slice(0, max * 4));
  return characters.length <= max ? line : `${characters.slice(0, max - 1).join('')}…`;
}
