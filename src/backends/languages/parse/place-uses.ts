import type { Language } from '../language.ts';
import type { Use } from '../outline.ts';
import type { Enclosing } from './enclosing.ts';
import type { LocalNames } from './local-names.ts';
import { readChain } from './read-chain.ts';
import type { VariableTypes } from './variable-types.ts';

/** A use before its enclosing definition is known. */
export interface RawUse extends Omit<Use, 'from'> {
  readonly offset: number;
  /** True if the receiver is the path of a module or type, not a variable. */
  readonly isPath: boolean;
}

interface Surroundings {
  readonly enclosing: Enclosing;
  /** The offsets of calls that are imports. */
  readonly requires: ReadonlySet<number>;
  /** The offsets of calls that may be parameters or variables. */
  readonly bare: ReadonlySet<number>;
  readonly locals: LocalNames;
  readonly variableTypes: VariableTypes;
  readonly language: Language;
}

/** Returns the uses, each with its enclosing definition and the type of its receiver. */
export function placeUses(
  uses: readonly RawUse[],
  { enclosing, requires, bare, locals, variableTypes, language }: Surroundings,
): readonly Use[] {
  const placed = uses
    .filter(({ offset }) => !requires.has(offset))
    .map((raw) => ({ raw, place: enclosing.at(raw.offset) }))
    .filter(
      ({ raw: { kind, name, offset }, place }) =>
        (kind !== 'value' && !bare.has(offset)) || !locals.isKnownAt(place, name),
    );
  const members = new Set<string>();
  for (const { raw, place } of placed)
    if (raw.receiver !== undefined) members.add(`${place.symbol} ${raw.name}`);
  const ownSelves = [...language.self, ...(language.base ?? [])];
  return placed.map(({ raw, place }): Use => {
    const { symbol, self } = place;
    const { offset: _, receiver, isPath, ...rest } = raw;
    const isMixed = members.has(`${symbol} ${raw.name}`) || locals.isInside(symbol, raw.name);
    const use = { ...rest, from: symbol, ...(isMixed ? { byLine: true as const } : {}) };
    if (receiver === undefined) return { ...use, receiver };
    if (receiver === self || language.self.includes(receiver)) return { ...use, receiver: 'this' };
    if (language.base?.includes(receiver) === true) return { ...use, receiver: 'super' };
    const chain = readChain(receiver, self === undefined ? ownSelves : [...ownSelves, self]);
    const receiverType = isPath && isModule.test(chain) ? '' : variableTypes.typeOf(chain, place);
    return {
      ...use,
      receiver: chain.includes('()') ? '' : chain,
      ...(receiverType === undefined ? {} : { receiverType }),
    };
  });
}

/** Matches a path that does not end with the name of a type. */
const isModule = /(?:^|\.)[a-z_]\w*$/;
