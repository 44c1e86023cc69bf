import { type AST, RegExpParser, RegExpSyntaxError, visitRegExpAST } from '@eslint-community/regexpp';
import { patternError, type TranslatedPattern, translateRe2 } from './translate-re2.ts';

/**
 * Maximum length of a pattern, in characters. A pattern within all limits can still be slow; the deadline of the
 * search thread ends it.
 */
export const maxPatternLength = 1024;
const maxRepetitions = 1000;
/** Maximum number of character classes. Each compiles to a large Unicode set. */
const maxClasses = 100;

const parser = new RegExpParser({ ecmaVersion: 2025 });

export interface ParsedPattern {
  readonly ast: AST.Pattern;
  readonly caseSensitive: boolean;
}

/**
 * Parses a pattern of the subset that RE2 and JavaScript share: it matches in linear time and means the same in both.
 * @throws InvalidInput that names the unsupported syntax and its replacement.
 */
export function parsePattern(source: string, caseSensitive: boolean): ParsedPattern {
  if (source.length > maxPatternLength) {
    throw patternError(`is longer than ${maxPatternLength} characters; search for a shorter part of it`);
  }
  if (!source.isWellFormed()) throw patternError('is not valid Unicode');
  const translated = translateRe2(source, caseSensitive);
  const ast = parse(translated);
  refuseUnsupported(ast);
  return { ast, caseSensitive: translated.caseSensitive };
}

function parse(translated: TranslatedPattern): AST.Pattern {
  const { source } = translated;
  try {
    return parser.parsePattern(source, 0, source.length, { unicode: true });
  } catch (error) {
    if (!(error instanceof RegExpSyntaxError)) throw error;
    // The message repeats the translated pattern before its last colon.
    const problem = error.message.slice(error.message.lastIndexOf(': ') + 2);
    throw patternError(
      `is not a valid regular expression: ${problem}`,
      translated.offsetOf(error.index),
      error,
    );
  }
}

function refuseUnsupported(ast: AST.Pattern): void {
  const repetitions: number[] = [1];
  let classes = 0;
  const countClass = (): void => {
    classes += 1;
    if (classes <= maxClasses) return;
    throw patternError(
      `contains more than ${maxClasses} character classes such as [a-z], \\w or \\b; use fewer of them`,
    );
  };
  visitRegExpAST(ast, {
    onAssertionEnter: (node) => {
      if (node.kind === 'lookahead' || node.kind === 'lookbehind') {
        throw patternError(
          'uses lookaround, which is not supported; include the surrounding text in the match instead',
        );
      }
      if (node.kind === 'word') countClass();
    },
    onCharacterClassEnter: countClass,
    onCharacterSetEnter: (node) => {
      if (node.kind !== 'any') countClass();
    },
    onBackreferenceEnter: () => {
      throw patternError('uses a backreference, which is not supported; repeat the text instead');
    },
    onCharacterEnter: (node) => {
      if (node.value === 0x0a && !isInNegatedClass(node)) {
        throw patternError('contains a newline; patterns are matched line by line');
      }
    },
    onQuantifierEnter: (node) => {
      const max = node.max === Number.POSITIVE_INFINITY ? node.min : node.max;
      repetitions.push(repetitions.at(-1)! * Math.max(1, max));
      if (repetitions.at(-1)! > maxRepetitions)
        throw patternError(`repeats more than ${maxRepetitions} times`);
    },
    onQuantifierLeave: () => {
      repetitions.pop();
    },
  });
}

/** Returns whether a character is in a negated class. A newline is allowed there, because it is excluded anyway. */
function isInNegatedClass({ parent }: AST.Character): boolean {
  const holder = parent.type === 'CharacterClassRange' ? parent.parent : parent;
  return holder.type === 'CharacterClass' && holder.negate;
}
