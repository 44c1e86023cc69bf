const value =
  /^(?:what|which) (?:is|are)\b.*\b(?:defaults?|maximum|minimum|limit|value|size)\b|\bhow (?:many|much|big|large)\b|\bby default\b/i;
const what = /\b(?:what|which)\b/i;
const bound = /\b(?:default|maximum|minimum) \w/i;

/**
 * Returns whether a question asks for a value, a default or an amount. A constant answers it as well as a function, so
 * the size of a passage does not count. "How long" and "how often" ask what code does as well.
 */
export function asksForValue(question: string): boolean {
  const asked = what.exec(question);
  return value.test(question) || (asked !== null && bound.test(question.slice(asked.index)));
}
