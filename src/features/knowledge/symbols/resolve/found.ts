import type { SymbolKind } from '../../../../backends/codesearch/port.ts';
import { isTypeKind, type UseKind } from '../../../../backends/languages/port.ts';
import type { Target } from './table-file.ts';

/** The meaning of a use. */
export interface Found {
  /** One target, or several if `rule` is `candidates` or `overrides`. */
  readonly targets: readonly Target[];
  /** 1 to 100. */
  readonly confidence: number;
  readonly rule: Rule;
}

/** What a name means; `elsewhere` if another repository defines it, `undefined` if that is not known. */
export type Meaning = Found | 'elsewhere' | undefined;

/** Why something was found, and how sure that is. */
export type Reason = Pick<Found, 'rule' | 'confidence'>;

/** Returns what was found with the reason of a step that leads to it, if that is the weaker one. */
export function noSurerThan<Each extends Reason>(
  { rule, confidence }: Reason,
  found: Each | undefined,
): Each | undefined {
  return found === undefined || found.confidence <= confidence ? found : { ...found, rule, confidence };
}

export type Rule = 'same_file' | 'imported' | 'same_package' | 'unique' | PossibleRule;

/** The rules of possible targets. */
type PossibleRule = 'candidates' | 'overrides';

export const confidenceOf: Readonly<Record<Exclude<Rule, PossibleRule>, number>> = {
  same_file: 100,
  imported: 90,
  same_package: 60,
  unique: 60,
};

/** Confidence of what a type that inherits a called member has in its place. */
export const confidenceOfOverride = 25;

/** Confidence of one candidate that nothing connects with the use, and of each of several. */
const confidenceOfCandidates = { one: 20, several: 10 };
/** Maximum number of candidates. A name with more is too common to mean anything. */
export const maxCandidates = 20;

export function foundBy(rule: Exclude<Rule, PossibleRule>, target: Target): Found {
  return { targets: [target], confidence: confidenceOf[rule], rule };
}

/** Returns candidates; `undefined` if there are none, or too many. */
export function candidates(targets: readonly Target[]): Found | undefined {
  if (targets.length === 0 || targets.length > maxCandidates) return undefined;
  const confidence = targets.length === 1 ? confidenceOfCandidates.one : confidenceOfCandidates.several;
  return { targets, confidence, rule: 'candidates' };
}

export function idOf({ path, symbol }: Target): string {
  return `${path}#${symbol.qualifiedName}`;
}

/** Returns one target for each qualified name in a file: overloads are one. */
export function distinctTargets(targets: Iterable<Target>): readonly Target[] {
  const found = new Map<string, Target>();
  for (const target of targets) {
    if (!found.has(idOf(target))) found.set(idOf(target), target);
  }
  return [...found.values()];
}

export function isType({ symbol }: Target): boolean {
  return isTypeKind(symbol.kind);
}

export function isMember({ symbol }: Target): boolean {
  return isMemberKind(symbol.kind);
}

export function isMemberKind(kind: SymbolKind): boolean {
  return kind === 'method' || kind === 'field';
}

/** Returns whether a definition of a kind can be what a use means. */
export function fitsKind(use: UseKind, kind: SymbolKind): boolean {
  if (use === 'value') return kind !== 'field';
  if (use === 'call') return kind !== 'field' && kind !== 'interface';
  return isTypeKind(kind);
}
