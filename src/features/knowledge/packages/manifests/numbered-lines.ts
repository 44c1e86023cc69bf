/** Maximum length of a line. A longer one is cut. */
export const maxLine = 1_000;

interface NumberedLine {
  readonly text: string;
  readonly line: number;
}

/** Returns the lines of a text with their numbers, cut to 1,000 characters. */
export function numberedLines(text: string): readonly NumberedLine[] {
  return text.split('\n').map((each, index) => ({ text: each.slice(0, maxLine).trimEnd(), line: index + 1 }));
}
