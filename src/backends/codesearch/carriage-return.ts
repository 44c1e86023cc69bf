import { type AST, visitRegExpAST } from '@eslint-community/regexpp';

const carriageReturn = 0x0d;

/**
 * Returns whether a pattern names the carriage return, as in `\r`. Such a pattern is matched against the line with
 * its CR. For any other pattern a CR is part of the line end, as with `rg --crlf`: results show lines without it.
 */
export function namesCarriageReturn(pattern: AST.Pattern): boolean {
  let named = false;
  visitRegExpAST(pattern, {
    onCharacterEnter: ({ value }) => {
      named ||= value === carriageReturn;
    },
  });
  return named;
}
