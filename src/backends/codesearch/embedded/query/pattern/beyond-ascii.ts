import type { AST } from '@eslint-community/regexpp';

/** Which characters beyond ASCII decide whether a pattern matches. */
export type Reach = 'none' | 'digits' | 'any';

/**
 * Where a pattern has nothing but ASCII and digits in it, text that holds no digit beyond ASCII has a match exactly
 * where its bytes have one, and need not be decoded to see that it has none.
 */
export function reachOf(pattern: AST.Pattern, caseSensitive: boolean): Reach {
  return widest(pattern.alternatives.flatMap((alternative) => alternative.elements.map(reachOfElement)));

  function reachOfElement(element: AST.Element): Reach {
    switch (element.type) {
      case 'Group':
      case 'CapturingGroup':
        return reachOf(element as unknown as AST.Pattern, caseSensitive);
      case 'Quantifier':
        return reachOfElement(element.element);
      case 'Assertion':
        return element.kind === 'start' || element.kind === 'end' ? 'none' : 'any';
      case 'CharacterClass':
        return element.negate ? 'any' : widest(element.elements.map(reachOfMember));
      case 'Character':
      case 'CharacterSet':
        return reachOfMember(element);
      case 'Backreference':
      case 'ExpressionCharacterClass':
        return 'any';
    }
  }

  function reachOfMember(member: AST.CharacterClassElement | AST.CharacterSet): Reach {
    switch (member.type) {
      case 'Character':
        return reachOfRange(member.value, member.value);
      case 'CharacterClassRange':
        return reachOfRange(member.min.value, member.max.value);
      case 'CharacterSet':
        return member.kind === 'digit' && !member.negate ? 'digits' : 'any';
      case 'CharacterClass':
      case 'ClassStringDisjunction':
      case 'ExpressionCharacterClass':
        return 'any';
    }
  }

  /** Of the letters of ASCII k and s have another case beyond it. */
  function reachOfRange(first: number, last: number): Reach {
    if (last >= 0x80) return 'any';
    const holds = (letter: string): boolean => {
      const code = letter.charCodeAt(0);
      return first <= code && code <= last;
    };
    return !caseSensitive && ['k', 's', 'K', 'S'].some(holds) ? 'any' : 'none';
  }
}

function widest(reaches: readonly Reach[]): Reach {
  if (reaches.includes('any')) return 'any';
  return reaches.includes('digits') ? 'digits' : 'none';
}

/** Matches wherever, in UTF-8 as latin1, a digit beyond ASCII begins; of what else begins so, emoji are left out. */
export const DIGIT_BEYOND_ASCII = /[\xd9\xdb\xdf\xe0\xe1\xea]|\xef\xbc|\xf0(?!\x9f[^\xaf])/;
