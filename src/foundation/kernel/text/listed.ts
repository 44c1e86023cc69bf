/** Returns the first names of a list, and the number of the others: `a, b and 3 more`. */
export function listed(names: readonly string[], max: number): string {
  const shown = names.slice(0, max).join(', ');
  return names.length > max ? `${shown} and ${names.length - max} more` : shown;
}
