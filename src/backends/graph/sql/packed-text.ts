import * as crypto from 'node:crypto';
import type { EdgeFact } from '../port.ts';
import type { FactContent } from './merge-facts.ts';

/*
 * Keys, nodes and reasons are stored in two parts: a text that many of them share, which is stored once, and the rest.
 * Each has one packed form, so that two are equal if and only if their packed forms are.
 */

/** Returns the number by which a shared text is found. Several texts may have the same. */
export function textHash(text: string): number {
  return Number.parseInt(crypto.hash('sha256', text, 'hex').slice(0, 8), 16) | 0;
}

/** Splits a key into the folder, file or kind that it shares with other keys, and the rest. */
export function splitKey(key: string): readonly [prefix: string, rest: string] {
  const hash = key.lastIndexOf('#');
  const end = hash >= 0 ? hash : Math.max(key.lastIndexOf('/'), key.lastIndexOf(':'));
  return [key.slice(0, end + 1), key.slice(end + 1)];
}

/** Returns the parts of a key that names and properties repeat: of a symbol its path, qualified name, kind and name. */
function partsOf(key: string): readonly string[] {
  const id = key.slice(key.indexOf(':', key.indexOf(':') + 1) + 1);
  const hash = id.lastIndexOf('#');
  const slash = id.lastIndexOf('/');
  if (hash < 0 || slash < hash) return [id];
  const name = id.slice(hash + 1, slash);
  return [id, id.slice(0, hash), name, id.slice(slash + 1), name.slice(name.lastIndexOf('.') + 1)];
}

/** Name and properties of a node. */
export interface PackedNode {
  /** JSON: the part of the key that is the name, or null; then each property, with its part of the key if it is one. */
  readonly shape: string;
  /** The values that are no part of the key, as the members of a JSON list. */
  readonly content: string;
}

type Shape = readonly [number | null, ...(string | readonly [string, number])[]];

export function packNode(key: string, { name, props }: FactContent): PackedNode {
  const parts: readonly unknown[] = partsOf(key);
  const values: unknown[] = [];
  const place = (value: unknown): number | null => {
    const part = parts.indexOf(value);
    if (part < 0) values.push(value);
    return part < 0 ? null : part;
  };
  const shape: unknown[] = [place(name)];
  for (const [property, value] of Object.entries(props)) {
    const part = place(value);
    shape.push(part === null ? property : [property, part]);
  }
  return { shape: JSON.stringify(shape), content: JSON.stringify(values).slice(1, -1) };
}

export function unpackNode(key: string, { shape, content }: PackedNode): FactContent {
  const parts = partsOf(key);
  const values = JSON.parse(`[${content}]`) as (string | number | boolean)[];
  let next = 0;
  const take = (part: number | null) => (part === null ? values[next++] : parts[part]);
  const [name, ...properties] = parsedShape(shape);
  const named = String(take(name));
  const props: Record<string, string | number | boolean | undefined> = {};
  for (const one of properties) {
    const [property, part] = typeof one === 'string' ? [one, null] : one;
    props[property] = take(part);
  }
  return { name: named, props };
}

/** Most nodes have one of a few shapes, most edges one of a few reasons. */
const parsedShape = parsedOnce<Shape>();
const parsedReason =
  parsedOnce<readonly [rule: string, first: string | number, tail?: string, span?: number]>();

/** Returns a function that parses JSON, and keeps what it parsed of the first 1,000 texts. */
function parsedOnce<Parsed>(): (json: string) => Parsed {
  const known = new Map<string, Parsed>();
  return (json) => {
    const parsed = known.get(json) ?? (JSON.parse(json) as Parsed);
    if (known.size < 1_000) known.set(json, parsed);
    return parsed;
  };
}

/** Rule and evidence of an edge. */
interface PackedReason {
  /** JSON: the rule; then the evidence, the part of the key that it is, or what is around its number. */
  readonly reason: string;
  /** The line in the evidence, or its span. */
  readonly line: number;
}

/** A line or span at the end, or before a colon or space: `line 12: ./names.ts`, `body 120-126`, `only lines 7 +2`. */
const numbered = /^(.*?[ :])(\d{1,9})(?:-(\d{1,6}))?((?:[ :].*)?)$/s;
/** A span is one number: its start, and its length in the last digits. */
const maxSpan = 1_000;

/** Packs a reason. `to` is the key whose parts the evidence may repeat. */
export function packReason({ rule, evidence }: Pick<EdgeFact, 'rule' | 'evidence'>, to = ''): PackedReason {
  const part = evidence !== '' && to.includes(evidence) ? partsOf(to).indexOf(evidence) : -1;
  if (part >= 0) return { reason: JSON.stringify([rule, part]), line: 0 };
  const [, head = '', start = '', end, tail = ''] = numbered.exec(evidence) ?? [];
  const line = end === undefined ? Number(start) : Number(start) * maxSpan + Number(end) - Number(start);
  const reason = JSON.stringify(end === undefined ? [rule, head, tail] : [rule, head, tail, maxSpan]);
  // A number with zeros in front and a long span have no such form.
  const isExact = line < 2 ** 31 && unpackReason({ reason, line }, '').evidence === evidence;
  return isExact ? { reason, line } : { reason: JSON.stringify([rule, evidence]), line: 0 };
}

export function unpackReason(
  { reason, line }: PackedReason,
  to: string,
): { readonly rule: string; readonly evidence: string } {
  const [rule, first, tail, span] = parsedReason(reason);
  if (typeof first === 'number') return { rule, evidence: partsOf(to)[first] ?? '' };
  if (tail === undefined) return { rule, evidence: first };
  const start = Math.floor(line / (span ?? 1));
  const place = span === undefined ? `${start}` : `${start}-${start + (line % span)}`;
  return { rule, evidence: `${first}${place}${tail}` };
}
