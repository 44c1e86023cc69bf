import { z } from 'zod';
import type { Query } from '../../port.ts';

const textField = z.enum(['content', 'path', 'any']);
const caseSensitive = z.boolean();
/** Far above what a query may hold: what is too long is refused by the engine, in the words of the user's query. */
const text = z.string().max(64 * 1024);

const tree: z.ZodType<Query> = z.lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('and'), operands: z.array(tree) }),
    z.object({ kind: z.literal('or'), operands: z.array(tree) }),
    z.object({ kind: z.literal('not'), operand: tree }),
    z.object({ kind: z.literal('literal'), text, caseSensitive, field: textField }),
    z.object({ kind: z.literal('regex'), source: text, caseSensitive, field: textField }),
    z.object({ kind: z.literal('repository'), text }),
    z.object({ kind: z.literal('language'), name: text }),
    z.object({ kind: z.literal('symbol'), form: z.enum(['literal', 'regex']), text, caseSensitive }),
    z.object({ kind: z.literal('branch'), pattern: text }),
  ]),
);

/** Parentheses in parentheses; deeper ones would exhaust the stack of whoever walks the tree. */
const deepest = 100;

/** Checked before the tree is walked: it may come from somebody who wants just that. */
export const query: z.ZodType<Query> = z
  .unknown()
  .refine((value) => !isDeeperThan(value, deepest), { message: 'is nested too deep', abort: true })
  .pipe(tree);

function isDeeperThan(value: unknown, most: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return true;
    level = level.flatMap(operandsOf);
  }
  return false;
}

function operandsOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const { operand, operands } = value as { operand?: unknown; operands?: unknown };
  return [
    ...(Array.isArray(operands) ? (operands as unknown[]) : []),
    ...(operand === undefined ? [] : [operand]),
  ];
}
