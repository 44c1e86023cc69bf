import { z } from 'zod';
import type { Query } from '../../port.ts';

const textField = z.enum(['content', 'path', 'any']);
const caseSensitive = z.boolean();
/** Far above what a query may hold: what is too long is refused by the engine, in the words of the user's query. */
const text = z.string().max(64 * 1024);

/** Far above what a query may hold, too. */
const mostOperands = 200;
const operandList: z.ZodType<readonly Query[]> = z.lazy(() => z.array(tree).min(1).max(mostOperands));

const tree: z.ZodType<Query> = z.lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('and'), operands: operandList }),
    z.object({ kind: z.literal('or'), operands: operandList }),
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
/** Lists that hold nothing, too: each costs whoever walks the tree. */
const mostNodes = 1000;

/** Checked before the tree is walked: it may come from somebody who wants just that. */
export const query: z.ZodType<Query> = z
  .unknown()
  .superRefine((value, context) => {
    const message = excess(value);
    if (message !== undefined)
      context.issues.push({ code: 'custom', message, input: value, continue: false });
  })
  .pipe(tree);

/** What there is too much of; looks at no more than is allowed. */
function excess(value: unknown): string | undefined {
  let level: unknown[] = [value];
  let nodes = 0;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return 'is nested too deep';
    nodes += level.length;
    if (nodes > mostNodes) return 'holds too many parts';
    level = level.flatMap(operandsOf);
  }
  return undefined;
}

function operandsOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const { operand, operands } = value as { operand?: unknown; operands?: unknown };
  return [
    ...(Array.isArray(operands) ? (operands as unknown[]) : []),
    ...(operand === undefined ? [] : [operand]),
  ];
}
