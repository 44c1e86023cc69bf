/** A query that Zoekt can express (its query syntax, `query/parse.go`). */
export type ZoektQuery =
  | { readonly kind: 'and' | 'or'; readonly operands: readonly ZoektQuery[] }
  | { readonly kind: 'not'; readonly operand: ZoektQuery }
  | { readonly kind: 'constant'; readonly value: boolean }
  /** `pattern` is a regular expression in Go syntax. */
  | {
      readonly kind: 'pattern';
      readonly field: 'content' | 'path' | 'any' | 'symbol';
      readonly pattern: string;
      readonly caseSensitive: boolean;
    }
  /** Repositories whose full name matches the regular expression. */
  | { readonly kind: 'repository'; readonly pattern: string }
  /** Files on a branch whose name contains `text`; `HEAD` is the first branch of each repository. */
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
 * Removes nested constants: the result is a constant or contains none. Zoekt has no constants, and refuses an empty
 * operand.
 */
export function simplify(query: ZoektQuery): ZoektQuery {
  if (query.kind === 'not') {
    const operand = simplify(query.operand);
    return operand.kind === 'constant' ? constant(!operand.value) : not(operand);
  }
  if (query.kind !== 'and' && query.kind !== 'or') return query;
  // True decides an `or`, false decides an `and`.
  const decisive = query.kind === 'or';
  const operands: ZoektQuery[] = [];
  for (const operand of query.operands.map(simplify)) {
    if (operand.kind !== 'constant') operands.push(operand);
    else if (operand.value === decisive) return operand;
  }
  if (operands.length === 0) return constant(!decisive);
  return operands.length === 1 ? operands[0]! : { kind: query.kind, operands };
}

/** Prints a simplified query, other than a constant, in the syntax that Zoekt parses. */
export function printQuery(query: ZoektQuery): string {
  switch (query.kind) {
    case 'and':
      return `( ${query.operands.map(printQuery).join(' ')} )`;
    case 'or':
      return `( ${query.operands.map(printQuery).join(' or ')} )`;
    case 'not':
      return `-${printQuery(query.operand)}`;
    case 'pattern':
      // A separate list, because `case:` applies to its list. The space keeps the parenthesis out of the pattern.
      return `( case:${query.caseSensitive ? 'yes' : 'no'} ${prefix[query.field]}${quote(query.pattern)} )`;
    case 'repository':
      return `r:${quote(`^(?:${query.pattern})$`)}`;
    case 'branch':
      return `branch:${quote(query.text)}`;
    case 'constant':
      throw new RangeError('simplify the query first');
  }
}

const prefix = { content: 'c:', path: 'f:', any: 'regex:', symbol: 'sym:' } as const;

/** Quotes a text. Only quotes and backslashes are special between quotes, so escaping them is sufficient. */
function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
