/** Returns a handler for `catch` that answers the errors of a class, and throws all others. */
export function onError<Expected, Answer>(
  type: abstract new (...parameters: never) => Expected,
  answer: (error: Expected) => Answer,
): (error: unknown) => Answer {
  return (error) => {
    if (!(error instanceof type)) throw error;
    return answer(error);
  };
}

/** Returns a handler for `catch` that answers the errors it expects with `undefined`, and throws all others. */
export function orUndefined(isExpected: (error: unknown) => boolean): (error: unknown) => undefined {
  return (error) => {
    if (!isExpected(error)) throw error;
    return undefined;
  };
}
