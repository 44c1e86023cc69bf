import { isTypeKind } from '../../languages/port.ts';
import type { LineSpan, RankedDefinition } from '../port.ts';
import { cutBlocks } from './cut-blocks.ts';

/** Lines of a file that answer a question as a whole: a definition, or lines that no definition contains. */
export interface CutPassage extends LineSpan {
  /** Absent for lines that no definition contains. */
  readonly definition?: RankedDefinition;
  /** Names of the definitions around it, the innermost first. */
  readonly containers: readonly string[];
  /** The passages directly inside of it, in line order. Their lines are not its own. */
  readonly inner: readonly CutPassage[];
}

interface CutFile {
  readonly passages: readonly CutPassage[];
  /** By line (1-based): the index of the passage to which it belongs; -1 for blank lines between passages. */
  readonly owners: Int32Array;
}

/** Lines that a value or a function inside of a function, or a member of a type, has at least to be its own passage. */
const minLines = 4;
const functions = /^(?:function|method|macro)$/;

/**
 * Cuts a file into passages. A definition has its own lines with the comment above it, without those of the passages
 * inside it. Short values in functions and short members of types belong to what contains them.
 */
export function cutPassages(
  lines: readonly string[],
  language: string,
  definitions: readonly RankedDefinition[],
): CutFile {
  const passages: CutPassage[] = [];
  const open: { readonly passage: CutPassage; readonly inner: CutPassage[] }[] = [];
  for (const definition of definitions) {
    while (open.length > 0 && open.at(-1)!.passage.endLine < definition.line) open.pop();
    const outer = open.at(-1)?.passage.definition;
    if (outer !== undefined && belongsTo(definition, outer)) continue;
    const around = open.map(({ passage }) => passage.definition!.name).toReversed();
    const inner: CutPassage[] = [];
    const passage: CutPassage = {
      startLine: Math.max(definition.startLine, (outer?.line ?? 0) + 1),
      endLine: definition.endLine,
      definition,
      containers:
        around.length === 0 && definition.container !== undefined ? [definition.container.name] : around,
      inner,
    };
    passages.push(passage);
    open.at(-1)?.inner.push(passage);
    open.push({ passage, inner });
  }
  const owners = new Int32Array(lines.length + 2).fill(-1);
  passages.forEach(({ startLine, endLine }, index) => owners.fill(index, startLine, endLine + 1));
  for (const block of blocksWithout(owners, lines, language)) {
    owners.fill(passages.length, block.startLine, block.endLine + 1);
    passages.push({ ...block, containers: [], inner: [] });
  }
  return { passages, owners };
}

function belongsTo(inner: RankedDefinition, outer: RankedDefinition): boolean {
  if (inner.line === outer.line) return true;
  const isShort = inner.endLine - inner.line + 1 < minLines;
  if (functions.test(outer.kind)) return isValue(inner) || isShort;
  return isValue(inner) && isShort;
}

/** Returns whether a definition is a function, a method or a macro. */
export function isFunction({ kind }: Pick<RankedDefinition, 'kind'>): boolean {
  return functions.test(kind);
}

/** Returns whether a definition is a constant, a variable, a field or the like. */
export function isValue({ kind }: Pick<RankedDefinition, 'kind'>): boolean {
  return !functions.test(kind) && !isTypeKind(kind);
}

/** Returns the lines that belong to no passage, cut into sections or blocks. */
function blocksWithout(owners: Int32Array, lines: readonly string[], language: string): LineSpan[] {
  const blocks: LineSpan[] = [];
  for (let from = 1; from <= lines.length; from++) {
    if (owners[from] !== -1) continue;
    let to = from;
    while (to < lines.length && owners[to + 1] === -1) to++;
    for (const { startLine, endLine } of cutBlocks(lines.slice(from - 1, to), language))
      blocks.push({ startLine: startLine + from - 1, endLine: endLine + from - 1 });
    from = to;
  }
  return blocks;
}
