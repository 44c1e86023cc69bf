import { maxLineLength, type SourceReader } from '../../backends/codesearch/port.ts';
import { openPauses } from '../../foundation/kernel/limits/pauses.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { LineKinds, placesOf, type ReferenceKind } from './line-kind.ts';
import type { MeantLine } from './meant-lines.ts';

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
  { name, lines }: { readonly name: string; readonly lines: readonly MeantLine[] },
  signal: AbortSignal,
): Promise<readonly DescribedLine[]> {
  const pause = openPauses();
  const files = new Map<MeantLine['file'], Promise<LineKinds>>();
  for (const { file } of lines)
    if (!files.has(file)) files.set(file, readKinds(sources, scope, file, signal));
  await Promise.all(files.values());
  const described: DescribedLine[] = [];
  for (const each of lines) {
    described.push(describe(await files.get(each.file)!, each, name));
    await pause();
  }
  return described;
}

function describe(kinds: LineKinds, each: MeantLine, name: string): DescribedLine {
  const whole = kinds.line(each.line);
  if (!each.isOtherName) {
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
  { repositoryId, path, language, commit }: MeantLine['file'],
  signal: AbortSignal,
): Promise<LineKinds> {
  const at = commit === undefined ? {} : { commit };
  const file = await sources.readFile(scope, { repository: repositoryId, path, ...at }, signal);
  return new LineKinds(file?.content ?? '', language);
}

/** Cuts a long line around a place. */
function cutAround(line: string, at: number): string {
  if (line.length <= maxLineLength) return line;
  const start = Math.max(0, Math.min(at - maxLineLength / 2, line.length - maxLineLength));
  return line.slice(start, start + maxLineLength).toWellFormed();
}
