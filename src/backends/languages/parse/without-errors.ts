import type { Node, Tree } from 'web-tree-sitter';

interface TextParser {
  parse(text: string): Tree | null;
}

/** Weight of a line in an error against that of a blank one: an error may hide what follows. */
const errorWeight = 1.25;
/** Number of lines from which an error may hide definitions. */
const wide = 6;
/** Number of characters that are read again, for each of the text and besides, and what one reading counts at least. */
const again = { each: 4, besides: 100_000, least: 500 } as const;
/** Maximum length of a text that is read again: a longer one takes much of the time of a file at its first reading. */
const maxText = 200_000;
/**
 * Maximum numbers of errors and of nodes beside each other that are looked at, and of causes of one error that are
 * blanked at once. A text with more is no code.
 */
const max = { errors: 1_000, beside: 20_000, causes: 100 } as const;

/** Some lines as they were read. */
interface Reading {
  readonly lines: readonly string[];
  /** The wide errors. */
  readonly errors: readonly WideError[];
  readonly blank: number;
}

/** An error that covers many lines: from the first one to before the last one. */
interface WideError {
  readonly from: number;
  readonly to: number;
  /** The lines where the parser met what it did not expect. */
  readonly causes: readonly number[];
}

/**
 * Returns a text with blanks for the statements that a grammar cannot read, where these hide what follows; `undefined`
 * if none do. Statements are known by their indentation. The smallest ones that help are blanked, and what is read for
 * it is a small multiple of the text.
 */
export function withoutErrors(
  parser: TextParser,
  errors: readonly WideError[],
  text: string,
): string | undefined {
  if (errors.length === 0 || text.length > maxText) return undefined;
  const repair = new Repair(parser, text.length * again.each + again.besides);
  const lines = text.split('\n');
  const parts = partsOf(lines).map(([from, to]) => {
    const part = lines.slice(from, to);
    return errors.some((error) => error.from < to && from < error.to) ? repair.lines(part) : part;
  });
  const found = repair.lines(parts.flat()).join('\n');
  return found === text ? undefined : found;
}

class Repair {
  readonly #parser: TextParser;
  /** Number of characters that may be read. */
  #left: number;

  constructor(parser: TextParser, left: number) {
    this.#parser = parser;
    this.#left = left;
  }

  /**
   * Returns lines with blanks for what makes the errors in them wide. The last reading that came closer counts, also if
   * it lost more lines than a former one.
   */
  lines(lines: readonly string[]): readonly string[] {
    let reading = this.#read(lines, 0);
    let depth = 0;
    while (reading !== undefined && reading.errors.length > 0) {
      const found = linesOfCause(reading, depth);
      if (found === undefined) break;
      const next = this.#read(withBlanks(reading.lines, found), reading.blank + found.size);
      if (next === undefined) break;
      // A class may be whole only without several of its statements.
      const comesFurther = found.size < wide && firstCause(next) > firstCause(reading);
      const isCloser = comesFurther || lostIn(next) < lostIn(reading);
      depth = isCloser ? 0 : depth + 1;
      if (isCloser) reading = next;
    }
    return reading?.lines ?? lines;
  }

  #read(lines: readonly string[], blank: number): Reading | undefined {
    const text = lines.join('\n');
    this.#left -= Math.max(text.length, again.least);
    const tree = this.#left < 0 ? null : this.#parser.parse(text);
    if (tree === null) return undefined;
    const errors = wideErrors(tree.rootNode);
    tree.delete();
    return { lines, errors, blank };
  }
}

/** Returns the number of lines in wide errors by their weight, and of those that are blank instead. */
function lostIn({ errors, blank }: Reading): number {
  return errors.reduce((sum, { from, to }) => sum + (to - from) * errorWeight, blank);
}

function withBlanks(lines: readonly string[], blank: ReadonlySet<number>): readonly string[] {
  return lines.map((line, index) => (blank.has(index) ? ' '.repeat(line.length) : line));
}

/** Returns the lines that may cause the first error; `undefined` if nothing more is around it. */
function linesOfCause({ lines, errors: [error] }: Reading, depth: number): ReadonlySet<number> | undefined {
  const found = new Set(
    error!.causes.slice(0, max.causes).flatMap((cause) => blockAround(lines, cause, depth)),
  );
  return found.size === 0 ? undefined : found;
}

function firstCause({ errors: [error] }: Reading): number {
  return error?.causes[0] ?? Number.POSITIVE_INFINITY;
}

/** Returns the outermost wide errors below a node. */
export function wideErrors(root: Node): readonly WideError[] {
  return errorsBelow(root, (node) => node.isError && rowsOf(node) >= wide).map((node) => ({
    from: node.startPosition.row,
    to: node.endPosition.row + 1,
    causes: causesOf(node),
  }));
}

/** Returns the outermost nodes at and below one that are accepted, of those that have errors. */
function errorsBelow(root: Node, accepts: (node: Node) => boolean): readonly Node[] {
  const found: Node[] = [];
  const open = [root];
  for (let node = open.pop(); node !== undefined && found.length < max.errors; node = open.pop()) {
    if (accepts(node)) found.push(node);
    else if (node.hasError && node.childCount < max.beside) open.push(...node.children.toReversed());
  }
  return found;
}

/** Returns the rows of what is last in the errors inside of one, or of the token that swallowed lines; else its first row. */
function causesOf(error: Node): readonly number[] {
  const children = error.childCount < max.beside ? error.children : [];
  const inner = children.flatMap((child) => errorsBelow(child, (node) => node.isError || node.isMissing));
  if (inner.length > 0) return inner.map((node) => (node.lastChild ?? node).endPosition.row);
  const rows = [...children.map((child) => child.startPosition.row), error.endPosition.row];
  const swallowing = children.find(
    (child, index) =>
      rows[index + 1]! - child.endPosition.row >= wide || (child.childCount === 0 && rowsOf(child) >= wide),
  );
  const { startPosition, endPosition } = swallowing ?? error;
  return [swallowing === undefined || swallowing.childCount === 0 ? startPosition.row : endPosition.row];
}

function rowsOf({ startPosition, endPosition }: Node): number {
  return endPosition.row + 1 - startPosition.row;
}

/**
 * Returns the lines that are not inside of others by their indentation, each with those inside: first, and after the
 * last.
 */
function partsOf(lines: readonly string[]): readonly (readonly [from: number, to: number])[] {
  const starts = lines.flatMap((line, index) => (index === 0 || /^[^\s)\]}>]/.test(line) ? [index] : []));
  return starts.map((from, index) => [from, starts[index + 1] ?? lines.length]);
}

/** Matches a line that ends what is before it, and one without text. */
const endsOthers = /^\s*(?:[)\]}>]|$)/;

/**
 * Returns the lines of the statement that a line belongs to (`depth` 0), those inside of what is around it, or all of
 * the outermost statement. None if even that is inside of `depth`.
 */
function blockAround(lines: readonly string[], line: number, depth: number): readonly number[] {
  const indent = (at: number): number => (lines[at]!.search(/\S/) + 1 || Number.POSITIVE_INFINITY) - 1;
  const before = (at: number, width: number): number => {
    let first = at - 1;
    while (first > 0 && (endsOthers.test(lines[first]!) || indent(first) > width)) first -= 1;
    return Math.max(first, 0);
  };
  let first = endsOthers.test(lines[line]!) ? before(line, indent(line)) : line;
  let left = depth;
  for (; left > 0 && indent(first) > 0; left--) first = before(first, indent(first) - 1);
  if (left > 1) return [];
  const isInside = depth > 0 && left === 0;
  const found = isInside ? [] : [first];
  const width = indent(first);
  for (let at = first + 1; at < lines.length; at++) {
    const isDeeper = indent(at) > width;
    if (!isDeeper && (!endsOthers.test(lines[at]!) || indent(at) < width)) break;
    if (isDeeper || !isInside) found.push(at);
  }
  return found;
}
