import { type AST, visitRegExpAST } from '@eslint-community/regexpp';
import { invalidField } from '../../../../foundation/kernel/invalid-field.ts';

const MOST_REPETITIONS = 100;

/**
 * Go writes `x{100}` out, and looks at all of it for every byte of a file, which Zoekt does not break off.
 * @throws InvalidInput for a pattern whose counts come to more than 100, those inside others as often as these repeat.
 */
export function checkRepetitions(pattern: AST.Pattern): void {
  const factors = [1];
  let repetitions = 0;
  visitRegExpAST(pattern, {
    onQuantifierEnter: ({ min, max }) => {
      const copies = max === Number.POSITIVE_INFINITY ? min : max;
      const written = factors.at(-1)! * Math.max(1, copies);
      if (copies > 1) repetitions += written;
      factors.push(written);
    },
    onQuantifierLeave: () => {
      factors.pop();
    },
  });
  if (repetitions <= MOST_REPETITIONS) return;
  const message = `The pattern repeats more than ${MOST_REPETITIONS} times, which Zoekt takes too long for; write + or * in place of large counts, or search for a part.`;
  throw invalidField('q', message, message);
}
