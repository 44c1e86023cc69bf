/** Environment variables by name. They are passed as a value, so that no code below this file reads the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns a copy of the environment of this process. No other code reads the environment. */
export function readEnvironment(): Environment {
  return { ...process.env };
}
