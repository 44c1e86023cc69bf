/** A query as Zoekt can say it (its query syntax, `query/parse.go`). */
export type ZoektQuery =
  | { readonly kind: 'and' | 'or'; readonly operands: readonly ZoektQuery[] }
  | { readonly kind: 'not'; readonly operand: ZoektQuery }
  | { readonly kind: 'constant'; readonly value: boolean }
  /** `pattern` is a regular expression of Go. */
  | {
      readonly kind: 'pattern';
      readonly field: 'content' | 'path' | 'any' | 'symbol';
      readonly pattern: string;
      readonly caseSensitive: boolean;
    }
  /** Repositories whose whole name the regular expression matches. */
  | { readonly kind: 'repository'; readonly pattern: string }
  /** Files on a branch whose name holds `text`; `HEAD` is the first branch of each repository. */
  | { readonly kind: 'branch'; readonly text: string };

export function and(...operands: readonly ZoektQuery[]): ZoektQuery {
  return { kind: 'and', operands };
}

export function or(...operands: readonly ZoektQuery[]): ZoektQuery {
  return { kind: 'or', operands };
}

export function not(operand: ZoektQuery): ZoektQuery {
  return { kind: 'not', operand };
}

export function constant(value: boolean): ZoektQuery {
  return { kind: 'constant', value };
}

/**
 * The query without constants inside: what is left is one itself, or holds none. Zoekt has no word for them, and
 * refuses an empty operand.
 */
export function simplify(query: ZoektQuery): ZoektQuery {
  if (query.kind === 'not') {
    const operand = simplify(query.operand);
    return operand.kind === 'constant' ? constant(!operand.value) : not(operand);
  }
  if (query.kind !== 'and' && query.kind !== 'or') return query;
  // What decides an `or` is true, what decides an `and` is false.
  const decisive = query.kind === 'or';
  const operands: ZoektQuery[] = [];
  for (const operand of query.operands.map(simplify)) {
    if (operand.kind !== 'constant') operands.push(operand);
    else if (operand.value === decisive) return operand;
  }
  if (operands.length === 0) return constant(!decisive);
  return operands.length === 1 ? operands[0]! : { kind: query.kind, operands };
}

/** The text that Zoekt parses back into this query; of one that `simplify` left more of than a constant. */
export function printQuery(query: ZoektQuery): string {
  switch (query.kind) {
    case 'and':
      return `( ${query.operands.map(printQuery).join(' ')} )`;
    case 'or':
      return `( ${query.operands.map(printQuery).join(' or ')} )`;
    case 'not':
      return `-${printQuery(query.operand)}`;
    case 'pattern':
      // In a list of its own, which `case:` counts for. The space tells the parenthesis from a part of a pattern.
      return `( case:${query.caseSensitive ? 'yes' : 'no'} ${PREFIX[query.field]}${quote(query.pattern)} )`;
    case 'repository':
      return `r:${quote(`^(?:${query.pattern})$`)}`;
    case 'branch':
      return `branch:${quote(query.text)}`;
    case 'constant':
      throw new RangeError('simplify the query first');
  }
}

const PREFIX = { content: 'c:', path: 'f:', any: 'regex:', symbol: 'sym:' } as const;

/** Between quotes nothing but a quote and a backslash means anything, so no text gets out of them. */
function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
