/** Returns a parameter of a path or query; `undefined` if it is absent or repeated. */
export function textParameter(source: unknown, name: string): string | undefined {
  const value = (source as Readonly<Record<string, unknown>> | undefined)?.[name];
  return typeof value === 'string' ? value : undefined;
}
