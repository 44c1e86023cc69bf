import { type AST, RegExpParser, RegExpSyntaxError, visitRegExpAST } from '@eslint-community/regexpp';
import { patternFault, type TranslatedPattern, translateRe2 } from './translate-re2.ts';

/** The caps of a pattern. What they let through can still be slow; the thread's deadline ends that. */
const MOST_PATTERN_LENGTH = 1024;
const MOST_REPETITIONS = 1000;
/** Each of them is a large set of Unicode to compile. */
const MOST_CLASSES = 100;

const parser = new RegExpParser({ ecmaVersion: 2025 });

export interface ParsedPattern {
  readonly ast: AST.Pattern;
  readonly caseSensitive: boolean;
}

/**
 * Parses a pattern of the subset that RE2 and JavaScript share: what matches in linear time and means the same in both.
 * @throws InvalidInput that says what is not supported and how to write it.
 */
export function parsePattern(source: string, caseSensitive: boolean): ParsedPattern {
  if (source.length > MOST_PATTERN_LENGTH) {
    throw patternFault(`is longer than ${MOST_PATTERN_LENGTH} characters; search for a shorter part of it`);
  }
  if (!source.isWellFormed()) throw patternFault('is not valid Unicode');
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
    // Before the last colon stands the pattern as it was translated.
    const fault = error.message.slice(error.message.lastIndexOf(': ') + 2);
    throw patternFault(
      `is not a valid regular expression: ${fault}`,
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
    if (classes <= MOST_CLASSES) return;
    throw patternFault(
      `holds more than ${MOST_CLASSES} character classes such as [a-z], \\w or \\b; search for a part`,
    );
  };
  visitRegExpAST(ast, {
    onAssertionEnter: (node) => {
      if (node.kind === 'lookahead' || node.kind === 'lookbehind') {
        throw patternFault('uses lookaround, which is not supported; match the neighbouring text itself');
      }
      if (node.kind === 'word') countClass();
    },
    onCharacterClassEnter: countClass,
    onCharacterSetEnter: (node) => {
      if (node.kind !== 'any') countClass();
    },
    onBackreferenceEnter: () => {
      throw patternFault('uses a backreference, which is not supported; write the text out');
    },
    onCharacterEnter: (node) => {
      if (node.value === 0x0a && !isLeftOut(node)) {
        throw patternFault('holds a newline; patterns are matched line by line');
      }
    },
    onQuantifierEnter: (node) => {
      const most = node.max === Number.POSITIVE_INFINITY ? node.min : node.max;
      repetitions.push(repetitions.at(-1)! * Math.max(1, most));
      if (repetitions.at(-1)! > MOST_REPETITIONS)
        throw patternFault(`repeats more than ${MOST_REPETITIONS} times`);
    },
    onQuantifierLeave: () => {
      repetitions.pop();
    },
  });
}

/** In a negated class, from which a newline is left out anyhow. */
function isLeftOut({ parent }: AST.Character): boolean {
  const holder = parent.type === 'CharacterClassRange' ? parent.parent : parent;
  return holder.type === 'CharacterClass' && holder.negate;
}
