import { type AST, visitRegExpAST } from '@eslint-community/regexpp';
import { invalidField } from '../../../../foundation/kernel/wire/invalid-field.ts';

const maxRepetitions = 100;

/**
 * Refuses a pattern with too many repetitions. Go expands `x{100}` and checks all copies for every byte of a file,
 * which Zoekt does not interrupt.
 * @throws InvalidInput if the counts sum to more than 100, nested counts multiplied.
 */
export function checkRepetitions(pattern: AST.Pattern): void {
  const factors = [1];
  let repetitions = 0;
  visitRegExpAST(pattern, {
    onQuantifierEnter: ({ min, max }) => {
      const copies = max === Number.POSITIVE_INFINITY ? min : max;
      const expanded = factors.at(-1)! * Math.max(1, copies);
      if (copies > 1) repetitions += expanded;
      factors.push(expanded);
    },
    onQuantifierLeave: () => {
      factors.pop();
    },
  });
  if (repetitions <= maxRepetitions) return;
  const message = `The pattern repeats more than ${maxRepetitions} times, which is too slow in Zoekt; replace large counts by + or *, or search for a shorter part.`;
  throw invalidField('q', message, message);
}
