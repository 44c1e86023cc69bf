/** Maximum sizes of a response, in bytes. */
export interface LineLimits {
  readonly line: number;
  readonly whole: number;
}

/**
 * Yields the lines of a body as they arrive, without line terminators. @throws the error of `tooLarge` at the first
 * exceeded limit
 */
export async function* readLines(
  body: AsyncIterable<Uint8Array>,
  limits: LineLimits,
  tooLarge: () => Error,
): AsyncGenerator<string, void> {
  let whole = 0;
  /** Chunks of the incomplete line. They are concatenated once, so that many small chunks stay cheap. */
  let rest: Uint8Array[] = [];
  let restBytes = 0;
  for await (const chunk of body) {
    whole += chunk.length;
    if (whole > limits.whole) throw tooLarge();
    let begin = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, begin)) {
      const last = chunk.subarray(begin, end);
      begin = end + 1;
      if (restBytes + last.length > limits.line) throw tooLarge();
      yield Buffer.concat([...rest, last]).toString('utf8');
      [rest, restBytes] = [[], 0];
    }
    rest.push(chunk.subarray(begin));
    restBytes += chunk.length - begin;
    if (restBytes > limits.line) throw tooLarge();
  }
  if (restBytes > 0) yield Buffer.concat(rest).toString('utf8');
}
