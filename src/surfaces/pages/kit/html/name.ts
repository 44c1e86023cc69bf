import type { VNode } from 'preact';
import { el } from './element.ts';
import { foreignText } from './foreign-text.ts';

/** Emoji sequences, whose invisible joiners belong to the picture. */
const emoji = /(\p{RGI_Emoji})/v;

/** Maximum length of a name on a page, in characters. */
const maxLength = 500;

/**
 * Returns a name without the characters that hide or reorder text; emoji stay whole.
 */
export function nameText(text: string, max = maxLength): string {
  const parts = text.split(emoji).map((part, index) => (index % 2 === 1 ? part : foreignPart(part)));
  const characters = [
    ...new Intl.Segmenter('en').segment(
      parts
        .join('')
        .trim()
        .slice(0, max * 16),
    ),
  ];
  if (characters.length <= max) return characters.map(({ segment }) => segment).join('');
  return `${characters
    .slice(0, max - 1)
    .map(({ segment }) => segment)
    .join('')}…`;
}

/** Sanitizes the text between emoji and keeps its outer blanks. */
function foreignPart(part: string): string {
  return part.replaceAll(/\S+/gu, (word) => foreignText(word, word.length)).replaceAll(/\s+/gu, ' ');
}

/** A name that people wrote. It is isolated, so that right-to-left text does not reorder what surrounds it. */
export function name(text: string, max?: number): VNode {
  return el('bdi', null, nameText(text, max));
}
