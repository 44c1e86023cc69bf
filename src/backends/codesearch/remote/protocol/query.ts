import { z } from 'zod';
import type { Query } from '../../port.ts';

const textField = z.enum(['content', 'path', 'any']);
const caseSensitive = z.boolean();
const symbolForm = z.enum(['whole', 'literal', 'regex']);
/** Far above the limit of a query: the engine refuses longer texts with a message about the user's query. */
const text = z.string().max(64 * 1024);

/** Far above the limit of a query. */
const maxOperands = 200;
const operandList: z.ZodType<readonly Query[]> = z.lazy(() => z.array(tree).min(1).max(maxOperands));

const tree: z.ZodType<Query> = z.lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('and'), operands: operandList }),
    z.object({ kind: z.literal('or'), operands: operandList }),
    z.object({ kind: z.literal('not'), operand: tree }),
    z.object({ kind: z.literal('literal'), text, caseSensitive, field: textField }),
    z.object({ kind: z.literal('regex'), source: text, caseSensitive, field: textField }),
    z.object({ kind: z.literal('word'), text }),
    z.object({ kind: z.literal('repository'), text }),
    z.object({ kind: z.literal('language'), name: text }),
    z.object({ kind: z.literal('symbol'), form: symbolForm, text, caseSensitive }),
    z.object({ kind: z.literal('branch'), pattern: text }),
  ]),
);

/** Maximum nesting depth; a deeper tree would exhaust the stack of recursive functions. */
const maxDepth = 100;
/** Maximum number of nodes, including empty lists, which also take time. */
const maxNodes = 1000;

/** A query, checked for its size before the tree is walked, because an attacker may have sent it. */
export const query: z.ZodType<Query> = z
  .unknown()
  .superRefine((value, context) => {
    const message = excessMessage(value);
    if (message !== undefined)
      context.issues.push({ code: 'custom', message, input: value, continue: false });
  })
  .pipe(tree);

/** Returns a message if the tree is too large; reads no more nodes than the limits. */
function excessMessage(value: unknown): string | undefined {
  let level: unknown[] = [value];
  let nodes = 0;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return 'is nested too deep';
    nodes += level.length;
    if (nodes > maxNodes) return 'holds too many parts';
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
