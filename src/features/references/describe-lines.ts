import { maxLineLength, type SourceReader } from '../../backends/codesearch/port.ts';
import { openPauses } from '../../foundation/kernel/limits/pauses.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { fileKey } from '../knowledge/links/keys.ts';
import { LineKinds, placesOf, type ReferenceKind } from './line-kind.ts';
import type { TableLine } from './line-table.ts';

/** The text of a line, and how it uses the name. */
interface DescribedLine {
  readonly text: string;
  readonly kind: ReferenceKind;
  /** The other name under which the line uses the definition. */
  readonly otherName?: string;
}

/** Reads the files of some lines. A file that cannot be read leaves its lines empty. */
export async function describeLines(
  sources: Pick<SourceReader, 'readFile'>,
  scope: OrgScope,
  { name, lines }: { readonly name: string; readonly lines: readonly TableLine[] },
  signal: AbortSignal,
): Promise<readonly DescribedLine[]> {
  const pause = openPauses();
  const files = new Map<string, Promise<LineKinds>>();
  const kindsOf = (each: TableLine): Promise<LineKinds> => {
    const key = fileKey(each.list.repository, each.path);
    const kinds = files.get(key) ?? readKinds(sources, scope, each, signal);
    files.set(key, kinds);
    return kinds;
  };
  const kinds = await Promise.all(lines.map(kindsOf));
  const described: DescribedLine[] = [];
  for (const [index, each] of lines.entries()) {
    described.push(describe(kinds[index]!, each, name));
    await pause();
  }
  return described;
}

function describe(kinds: LineKinds, each: TableLine, name: string): DescribedLine {
  const whole = kinds.line(each.line);
  if (each.list.isOtherName !== true) {
    const text = cutAround(whole, placesOf(whole, name)[0] ?? 0);
    return { text, kind: each.isDefinition ? 'definition' : kinds.kindOf(each.line, name) };
  }
  const other = kinds.otherNameOf(name);
  const text = cutAround(whole, 0);
  return other === undefined
    ? { text, kind: 'call', otherName: 'another name' }
    : { text, kind: kinds.kindOf(each.line, other), otherName: `alias ${other}` };
}

async function readKinds(
  sources: Pick<SourceReader, 'readFile'>,
  scope: OrgScope,
  { list: { repository, commit }, path }: TableLine,
  signal: AbortSignal,
): Promise<LineKinds> {
  const at = commit === undefined ? {} : { commit };
  const file = await sources.readFile(scope, { repository, path, ...at }, signal);
  return new LineKinds(file?.content ?? '', file?.language ?? '');
}

/** Cuts a long line around a place. */
function cutAround(line: string, at: number): string {
  if (line.length <= maxLineLength) return line;
  const start = Math.max(0, Math.min(at - maxLineLength / 2, line.length - maxLineLength));
  return line.slice(start, start + maxLineLength).toWellFormed();
}
