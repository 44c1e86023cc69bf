import type { AST } from '@eslint-community/regexpp';

/** The non-ASCII characters on which a match of a pattern can depend. */
export type Reach = 'none' | 'digits' | 'any';

/**
 * Returns the reach of a pattern. If the pattern contains only ASCII and digits, text without non-ASCII digits
 * matches exactly where its bytes match. Such text need not be decoded to find that it has no match.
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

  /** Only the ASCII letters k and s have a case variant beyond ASCII. */
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

/**
 * Matches the start of every non-ASCII digit, in UTF-8 read as latin1. It also matches the start of some other
 * characters, but not of emoji.
 */
export const digitBeyondAscii = /[\xd9\xdb\xdf\xe0\xe1\xea]|\xef\xbc|\xf0(?!\x9f[^\xaf])/;
