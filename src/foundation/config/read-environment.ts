/** Variables by name. Passed as a value: nothing below this file knows of the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process, as it is now. The only place that reads it. */
export function readEnvironment(): Environment {
  return { ...process.env };
}
