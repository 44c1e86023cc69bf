const value =
  /^(?:what|which) (?:is|are)\b.*\b(?:defaults?|maximum|minimum|limit|value|size)\b|\b(?:what|which)\b.*\b(?:default|maximum|minimum) \w|\bhow (?:many|much|long|big|large|often)\b|\bby default\b/i;

/**
 * Returns whether a question asks for a value, a default or an amount. A constant answers it as well as a function, so
 * neither the size nor the kind of a passage counts.
 */
export function asksForValue(question: string): boolean {
  return value.test(question);
}
