/** Resolves with `undefined` if some work does not end in time. The work itself continues: its reads are bounded. */
export async function inTime<T>(milliseconds: number, work: () => Promise<T>): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), milliseconds);
  try {
    return await Promise.race([work(), promise]);
  } finally {
    clearTimeout(timer);
  }
}
