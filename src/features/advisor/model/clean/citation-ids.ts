/** Maximum number of citations in one pair of brackets. */
const maxIds = 20;

/** Reads the numbers of a citation such as `3`, `1, 4` or `2-5`; `undefined` for another text. */
export function readIds(label: string): readonly number[] | undefined {
  const text = label.replaceAll(/[\s^]/gu, '');
  if (!/^\d{1,4}(?:[-–,;]\d{1,4}){0,20}$/u.test(text)) return undefined;
  const ids = text.split(/[,;]/u).flatMap((part) => {
    const [first = 0, last = first] = part.split(/[-–]/u).map(Number);
    return Array.from(
      { length: Math.min(Math.max(last - first + 1, 1), maxIds) },
      (_, index) => first + index,
    );
  });
  return ids.slice(0, maxIds);
}
