import type { AskedPackage, ReadManifest } from './manifest.ts';

/** Maximum length of a line. A longer one is cut. */
export const maxLine = 1_000;

interface NumberedLine {
  readonly text: string;
  readonly line: number;
}

/** Returns the lines of a text that are not blank, with their numbers, cut to 1,000 characters. */
export function numberedLines(text: string): readonly NumberedLine[] {
  const lines: NumberedLine[] = [];
  for (const [index, each] of text.split('\n').entries()) {
    const shown = each.slice(0, maxLine).trimEnd();
    if (shown !== '') lines.push({ text: shown, line: index + 1 });
  }
  return lines;
}

/** Returns a reader of a manifest in which each package, and the name of its own, stands on a line. */
export function lineReader(own: RegExp | undefined, asked: RegExp): ReadManifest {
  return (text) => {
    const asks: AskedPackage[] = [];
    let provides: string | undefined;
    for (const { text: each, line } of numberedLines(text)) {
      provides ??= own?.exec(each)?.[1];
      const [, name, version = ''] = asked.exec(each) ?? [];
      if (name !== undefined) asks.push({ name, version, line });
    }
    return { provides, asks };
  };
}
