import type { Code } from '../language.ts';
import type { Extracted } from './extract-file.ts';

/** Returns the names of embedded code with the lines of the file that it is in. */
export function onLines({ lines }: Code, extracted: Extracted): Extracted {
  if (lines === undefined || extracted === 'too_many_names') return extracted;
  const lineOf = (line: number): number => lines[line - 1] ?? lines.at(-1) ?? 1;
  const placed = <Item extends { readonly line: number }>(items: readonly Item[]): readonly Item[] =>
    items.map((item) => ({ ...item, line: lineOf(item.line) }));
  return {
    ...extracted,
    symbols: placed(extracted.symbols).map((symbol) => ({ ...symbol, endLine: lineOf(symbol.endLine) })),
    imports: placed(extracted.imports),
    calls: placed(extracted.calls),
    references: placed(extracted.references),
  };
}
