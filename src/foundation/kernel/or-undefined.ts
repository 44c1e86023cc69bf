/** Returns a handler for `catch` that answers the errors it expects with `undefined`, and throws all others. */
export function orUndefined(isExpected: (error: unknown) => boolean): (error: unknown) => undefined {
  return (error) => {
    if (!isExpected(error)) throw error;
    return undefined;
  };
}
