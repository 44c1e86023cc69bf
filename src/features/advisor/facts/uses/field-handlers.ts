import type { GraphNode } from '../../../../backends/graph/port.ts';
import { joined, type Sentence } from '../../answer/statements.ts';
import type { Inquiry } from '../inquiry.ts';
import { definitionsIn } from '../targets/enclosing.ts';
import { linesOfFile } from '../targets/file-lines.ts';
import type { Target } from '../targets/target.ts';
import { subjectOf } from '../targets/target-source.ts';
import { columnsOf } from './classify-use.ts';

/** Minimum number and share of the fields of a type that a function names, so that it handles all of them. */
const min = { fields: 3, share: 0.5 } as const;
/** Maximum numbers of functions that are named, of fields and of lines of a function that are examined. */
const max = { named: 4, fields: 60, lines: 200, line: 400 } as const;

/**
 * Says which functions of its file handle the fields of a type one by one, such as those that copy or reset it: a new
 * field belongs there, too.
 */
export async function fieldHandlers(inquiry: Inquiry, target: Target): Promise<Sentence[]> {
  const { kind, qualifiedName } = target.node.props;
  if (!/^(?:class|struct|interface|type|record)$/u.test(String(kind))) return [];
  const definitions = await definitionsIn(inquiry, target);
  const fields = definitions
    .filter(
      ({ name, props }) => props['kind'] === 'field' && props['qualifiedName'] === `${qualifiedName}.${name}`,
    )
    .slice(0, max.fields);
  if (fields.length < min.fields) return [];
  const lines = await linesOfFile(inquiry, target);
  const handlers = definitions
    .filter(({ props }) => /^(?:function|method|constructor)$/u.test(String(props['kind'])))
    .map((node) => ({ node, count: countFields(lines, node, fields) }))
    .filter(({ count }) => count >= Math.max(min.fields, min.share * fields.length))
    .toSorted((a, b) => b.count - a.count);
  if (handlers.length === 0) return [];
  const named = await Promise.all(
    handlers.slice(0, max.named).map(async ({ node, count }): Promise<Sentence> => {
      const subject = await subjectOf(inquiry, { node });
      return [...subject, ` (${count} of ${fields.length})`];
    }),
  );
  return [
    [
      'Its fields are handled one by one in ',
      ...joined(named, handlers.length),
      ': a new one may belong there, too.',
    ],
  ];
}

function countFields(lines: readonly string[], { props }: GraphNode, fields: readonly GraphNode[]): number {
  const first = Number(props['startLine'] ?? 1);
  const last = Math.min(Number(props['endLine'] ?? first), first + max.lines);
  const body = lines.slice(first, last).map((line) => line.slice(0, max.line));
  return fields.filter(({ name }) => body.some((line) => columnsOf(line, name).length > 0)).length;
}
