import type { SymbolKind } from '../outline.ts';
import type { LineRule, LineRules } from './line-rule.ts';

export interface CompiledRule {
  /** Matches a line without its indentation. */
  readonly pattern: RegExp;
  readonly kind: SymbolKind;
  readonly inside: SymbolKind;
  readonly place: LineRule['place'];
  /** The block that the rule opens, if any. */
  readonly opens: Block | undefined;
}

/** The rules for lines directly inside a block. */
export interface Block {
  readonly members: readonly CompiledRule[];
}

export interface CompiledRules {
  readonly rules: readonly CompiledRule[];
  readonly blocks: NonNullable<LineRules['blocks']>;
  /** True if comments are those of C. A comment after a definition on its line is ignored. */
  readonly slashComments: boolean;
  readonly annotations: boolean;
}

export function compileRules({
  rules,
  members = {},
  blocks = [],
  annotations = false,
}: LineRules): CompiledRules {
  const opened = new Map<string, { members: CompiledRule[] }>();
  for (const { opens } of [...rules, ...Object.values(members).flat()])
    if (opens !== undefined) opened.set(opens, { members: [] });
  const compile = (rule: LineRule): CompiledRule => ({
    pattern: new RegExp(`^(?:${rule.pattern})`),
    kind: rule.kind,
    inside: rule.inside ?? rule.kind,
    place: rule.place,
    opens: rule.opens === undefined ? undefined : opened.get(rule.opens),
  });
  for (const [name, own] of Object.entries(members)) opened.get(name)?.members.push(...own.map(compile));
  const slashComments = blocks.some(({ open }) => open === '/*');
  return { rules: rules.map(compile), blocks, slashComments, annotations };
}
