import { shorten } from '../../../foundation/kernel/text/visible-text.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import { placeSource, placeText } from '../evidence/place-source.ts';
import type { Sentence } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';

/** A line of an indexed file. */
export interface CodeLine {
  readonly repository: SearchableRepository;
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** Maximum length of the text of a line. */
const maxText = 200;

/** Writes a line of code: its place and its text. */
export function codeText({ repository, path, line, text }: CodeLine): string {
  const at = placeText(repository.name, path, { first: line, last: line });
  return `${at}: ${inlineCode(shorten(text.trim(), maxText))}`;
}

/** States a text with the number of its source, if there is one. */
export function withSource(text: string, source: Sentence[number] | undefined): Sentence {
  return source === undefined ? [text] : [`${text} `, source];
}

/** States a line of code, with itself as the source. */
export function codeSentence(inquiry: Inquiry, code: CodeLine, reason: string): Sentence {
  const { repository, path, line, text } = code;
  const source = placeSource(inquiry, repository, { path, startLine: line, endLine: line, text, reason });
  return withSource(codeText(code), source);
}
