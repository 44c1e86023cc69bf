import { type AST, RegExpParser, RegExpSyntaxError, visitRegExpAST } from '@eslint-community/regexpp';
import type { InvalidInput } from '../../foundation/kernel/errors.ts';
import { invalidField } from '../../foundation/kernel/invalid-field.ts';

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
    throw refuse(`is longer than ${MOST_PATTERN_LENGTH} characters; search for a shorter part of it`);
  }
  if (!source.isWellFormed()) throw refuse('is not valid Unicode');
  const flagged = source.startsWith('(?i)');
  const ast = parse(flagged ? source.slice(4) : source);
  refuseUnsupported(ast);
  return { ast, caseSensitive: caseSensitive && !flagged };
}

/** Unicode syntax first; then the older one, which takes a lone brace (`func() {`) for itself. */
function parse(source: string): AST.Pattern {
  try {
    return parser.parsePattern(source, 0, source.length, { unicode: true });
  } catch (error) {
    if (!(error instanceof RegExpSyntaxError)) throw error;
    const older = /\\[pPku]|[^\0-\uffff]/u.test(source) ? undefined : parseOlder(source);
    if (older !== undefined) return older;
    throw refuse(`is not a valid regular expression: ${error.message} (column ${error.index + 1})`, error);
  }
}

function parseOlder(source: string): AST.Pattern | undefined {
  try {
    return parser.parsePattern(source, 0, source.length, { unicode: false });
  } catch (error) {
    if (error instanceof RegExpSyntaxError) return undefined;
    throw error;
  }
}

function refuseUnsupported(ast: AST.Pattern): void {
  const repetitions: number[] = [1];
  let classes = 0;
  const countClass = (): void => {
    classes += 1;
    if (classes <= MOST_CLASSES) return;
    throw refuse(
      `holds more than ${MOST_CLASSES} character classes such as [a-z], \\w or \\b; search for a part`,
    );
  };
  visitRegExpAST(ast, {
    onAssertionEnter: (node) => {
      if (node.kind === 'lookahead' || node.kind === 'lookbehind') {
        throw refuse('uses lookaround, which is not supported; match the neighbouring text itself');
      }
      if (node.kind === 'word') countClass();
    },
    onCharacterClassEnter: countClass,
    onCharacterSetEnter: (node) => {
      if (node.kind !== 'any') countClass();
    },
    onBackreferenceEnter: () => {
      throw refuse('uses a backreference, which is not supported; write the text out');
    },
    onGroupEnter: (node) => {
      if (node.modifiers !== null) throw refuse('sets flags inside; put (?i) at its start, or use case:no');
    },
    onCharacterEnter: (node) => {
      if (/^\\[A-Za-z1-9]/.test(node.raw) && !/^\\[fnrtvcxu]/.test(node.raw)) {
        throw refuse(`holds ${node.raw}, which is not supported; write the character itself`);
      }
      if (node.value === 0x0a) throw refuse('holds a newline; patterns are matched line by line');
    },
    onQuantifierEnter: (node) => {
      const most = node.max === Number.POSITIVE_INFINITY ? node.min : node.max;
      repetitions.push(repetitions.at(-1)! * Math.max(1, most));
      if (repetitions.at(-1)! > MOST_REPETITIONS) throw refuse(`repeats more than ${MOST_REPETITIONS} times`);
    },
    onQuantifierLeave: () => {
      repetitions.pop();
    },
  });
}

function refuse(what: string, cause?: unknown): InvalidInput {
  const message = `The pattern ${what}.`;
  return invalidField('q', message, message, { cause });
}
