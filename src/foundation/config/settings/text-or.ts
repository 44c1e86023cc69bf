/** Returns the text of a setting that a provider declares, else the value of its product. */
export function textOr<Name extends string>(
  defaults: Readonly<Record<Name, string>>,
  values: Readonly<Record<string, unknown>>,
  name: Name,
): string {
  const given = values[name];
  return typeof given === 'string' ? given : defaults[name];
}
