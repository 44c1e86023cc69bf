import { randomBytes } from 'node:crypto';
import type { Source } from '../answer.ts';

/** Marks third-party text as data in the messages to the model. */
export interface Fence {
  /** The word in the marks. Nobody can know it before the request, so a text cannot end its own mark. */
  readonly word: string;
  /** Returns a source with its number. */
  source(id: number, source: Source): string;
  text(text: string): string;
}

export function openFence(): Fence {
  const word = randomBytes(8).toString('hex');
  const text = (inner: string): string => `<data-${word}>\n${inner}\n</data-${word}>`;
  return {
    word,
    text,
    source: (id, { kind, title, excerpt }) => `[${id}] ${kind}\n${text(`${title}\n${excerpt}`)}`,
  };
}
