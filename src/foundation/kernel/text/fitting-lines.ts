/** Returns the first lines that fit, at least `least` of them. `sizeOf` counts bytes by default. */
export function fittingLines(
  lines: readonly string[],
  max: number,
  sizeOf: (text: string) => number = Buffer.byteLength,
  least = 1,
): readonly string[] {
  let size = 0;
  const end = lines.findIndex((line, index) => {
    size += sizeOf(`${line}\n`);
    return size > max && index >= least;
  });
  return end === -1 ? lines : lines.slice(0, end);
}
