/** A question to every engine. The `text` of a regex is in the syntax that all engines share. */
export interface Question {
  readonly kind: string;
  readonly form: 'literal' | 'regex';
  readonly text: string;
  readonly caseSensitive: boolean;
}

const ofKind = (
  kind: string,
  form: Question['form'],
  texts: readonly string[],
  caseSensitive = true,
): Question[] => texts.map((text) => ({ kind, form, text, caseSensitive }));

/** 35 questions that people and agents ask, from rare text to text of every file. */
export const questions: readonly Question[] = [
  ...ofKind('rare', 'literal', [
    'context deadline exceeded',
    'RetryMiddleware',
    'ErrNoRows',
    'x-forwarded-for',
    'SPDX-License-Identifier: MIT',
  ]),
  ...ofKind('common', 'literal', ['return', 'import', 'context', 'function (', 'TODO']),
  ...ofKind('3-4 characters', 'literal', ['err', 'func', 'self']),
  ...ofKind('identifier', 'literal', [
    'createServer',
    'getProviderSchema',
    'parseQuery',
    'isAbsolutePath',
    'NewContext',
    'timeout_seconds',
  ]),
  ...ofKind('anchored regex', 'regex', ['^func \\(', '^import .* from']),
  ...ofKind('alternation', 'regex', ['(timeout|deadline) exceeded', 'err(or)? != nil']),
  ...ofKind('gap', 'regex', ['func \\w+Path\\(', 'retry.*after']),
  ...ofKind('class', 'regex', ['[A-Z]{3,}_[A-Z]+_ID']),
  ...ofKind('few literals', 'regex', ['\\d{4}-\\d{2}-\\d{2}T']),
  ...ofKind('any case', 'literal', ['unauthorized', 'Content-Type'], false),
  ...ofKind('any case', 'regex', ['retry.*after'], false),
  ...ofKind('no match', 'literal', ['zzqxjkvbq', 'no such text anywhere']),
  ...ofKind('1-2 characters', 'literal', ['x', 'of', '==']),
];
