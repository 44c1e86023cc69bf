/** `words` itself where `more` fit behind the first `used`, else a copy of those that is at least twice as long. */
export function withRoom(
  words: Uint32Array<ArrayBuffer>,
  used: number,
  more: number,
): Uint32Array<ArrayBuffer> {
  if (words.length - used >= more) return words;
  const wider = new Uint32Array(Math.max(words.length * 2, used + more));
  wider.set(words.subarray(0, used));
  return wider;
}
