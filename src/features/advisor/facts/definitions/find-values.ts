import type { RankedDefinition } from '../../../../backends/codesearch/port.ts';
import { visibleLine } from '../../../../foundation/kernel/text/visible-text.ts';
import { maxLineLength } from '../../sources/excerpt.ts';
import { firstSentence, withoutMarkers } from '../../text/first-sentence.ts';
import { stemsOf } from '../../text/split-words.ts';

/** A line that gives a name a literal value. */
export interface FoundValue {
  /** 1-based. */
  readonly line: number;
  readonly name: string;
  readonly value: string;
  /** The line without its indentation. */
  readonly text: string;
  /** The text of the comment above or after it. */
  readonly comment: string | undefined;
  /** The innermost definition around it. */
  readonly around: RankedDefinition | undefined;
  /** Share of the words of the question that the line, its comment and its surroundings have. */
  readonly coverage: number;
  /** Higher is better. */
  readonly score: number;
}

const literal = String.raw`(?:-?\.?\d[\w.]*|"[^"]{0,80}"|'[^']{0,80}'|[Tt]rue|[Ff]alse|None|null|nil|undefined)`;
const unit = String.raw`[A-Za-z_][\w.]{0,40}`;
const argument = String.raw`(?:\w{1,40}\s?=\s?)?${literal}`;
const value = String.raw`(?:${literal}|${unit}(?:::\w{1,40}){0,3}\(${argument}(?:, ?${argument}){0,4}\)|${unit}\s?\*\s?\d\w*)(?:\s?(?:\*\*?|<<|\+|-|/)\s?\(?(?:${literal}|${unit})\)?){0,4}`;
const assignment = new RegExp(
  String.raw`^(?:[\w()<>[\],?*&]{1,60}\s){0,5}(["']?)([A-Za-z_$][\w$.-]{0,80})\1\s?\??(?::\s?[\w<>[\]|.?\s&']{1,60})?\s?(?:=|:=|:)\s?(${value})\s?(?:[;,)}]|$|//|#|/\*)`,
  'u',
);
const macro = new RegExp(String.raw`^#\s?define\s(\w{1,80})\s(${value})`, 'u');
const isComment = /^(?:\/\/|\/\*|\*|#(?!\s?define)|--\s)/u;
/** Names of functions that give values to the fields of an object. */
const sets = /default|constructor|__init__|^new|init|setup|reset|option|config/iu;
/** Words that say that a value is asked for, and not which one. */
const generic = new Set(
  stemsOf(
    'default limit maximum minimum max min value allowed long many size set much large big often number',
  ),
);
const bounds = new Set(stemsOf('limit maximum minimum max min'));
const [defaultWord = ''] = stemsOf('default');
const limits = { lines: 8000, above: 4 } as const;

/** Finds the lines of a file that give a value to what a question asks for, best first. */
export function findValues(
  lines: readonly string[],
  definitions: readonly RankedDefinition[],
  question: { readonly path: string; readonly terms: readonly string[] },
): readonly FoundValue[] {
  const asked = new Set(question.terms.flatMap(stemsOf));
  const wanted = [...asked].filter((word) => !generic.has(word));
  if (wanted.length === 0) return [];
  const ofPath = stemsOf(question.path);
  const found: FoundValue[] = [];
  for (const [at, whole] of lines.slice(0, limits.lines).entries()) {
    const text = whole.slice(0, maxLineLength).replaceAll(/\s+/gu, ' ').trim();
    const match = readValue(text);
    if (match === undefined) continue;
    const line = at + 1;
    const around = innermost(definitions, line);
    const comment = commentOf(lines, line);
    const nearby = [...stemsOf(`${comment ?? ''} ${around?.name ?? ''}`), ...ofPath];
    const { points, coverage } = weigh(stemsOf(match.name), new Set(nearby), { asked, wanted });
    if (points === 0) continue;
    const isLocal = /^(?:function|method)$/u.test(around?.kind ?? '') && !sets.test(around?.name ?? '');
    const score = points * (/\d/u.test(match.value) ? 1.2 : 0.8) * (isLocal ? 0.3 : 1);
    found.push({ line, ...match, text: visibleLine(text), comment, around, coverage, score });
  }
  return found.toSorted((a, b) => b.score - a.score || a.line - b.line);
}

/** Compares the words of a name and those around it with the words of a question; no points without a shared one. */
function weigh(
  own: readonly string[],
  nearby: ReadonlySet<string>,
  { asked, wanted }: { readonly asked: ReadonlySet<string>; readonly wanted: readonly string[] },
): { readonly points: number; readonly coverage: number } {
  const shared = wanted.filter((word) => own.includes(word)).length;
  if (shared === 0) return { points: 0, coverage: 0 };
  const near = wanted.filter((word) => !own.includes(word) && nearby.has(word)).length;
  const precision = own.filter((word) => asked.has(word) || generic.has(word)).length / own.length;
  const isDefault = own.includes(defaultWord) || nearby.has(defaultWord);
  const isBound = [...bounds].some((word) => asked.has(word)) && own.some((word) => bounds.has(word));
  const points = 3 * shared + near + (isDefault ? 1.5 : 0) + (isBound ? 1 : 0);
  return { points: points * (0.5 + 0.5 * precision), coverage: (shared + near) / wanted.length };
}

function readValue(text: string): { readonly name: string; readonly value: string } | undefined {
  if (!/\d|["']|rue\b|alse\b|None|null|nil|undefined/u.test(text)) return undefined;
  const defined = macro.exec(text);
  if (defined !== null) return { name: defined[1] ?? '', value: defined[2] ?? '' };
  const [, , name, given] = assignment.exec(text) ?? [];
  return name === undefined || given === undefined ? undefined : { name, value: given.trim() };
}

/** Returns the comment at the end of a line, or the sentence of the comment above it. */
function commentOf(lines: readonly string[], line: number): string | undefined {
  const after = /\s(?:\/\/|#|\/\*)\s?([^"']{4,200})$/u.exec(
    (lines[line - 1] ?? '').slice(0, maxLineLength),
  )?.[1];
  if (after !== undefined) return visibleLine(after.replace(/\*\/\s*$/u, '').trim());
  const above: string[] = [];
  for (let at = line - 2; at >= 0 && above.length < limits.above; at--) {
    const text = (lines[at] ?? '').slice(0, maxLineLength).trim();
    if (!isComment.test(text)) break;
    above.unshift(withoutMarkers(text));
  }
  return firstSentence(above.join(' '));
}

function innermost(definitions: readonly RankedDefinition[], line: number): RankedDefinition | undefined {
  return definitions.findLast((one) => one.line < line && one.endLine >= line);
}
