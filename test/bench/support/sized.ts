/** True if benches run with their smallest input, to see that they run; their figures then mean nothing. */
const isSmallest = process.env['ORGCTX_BENCH_SMALLEST'] === 'true';

/** Returns the size of an input: `smallest` if the environment has ORGCTX_BENCH_SMALLEST=true. */
export function sized<Size>(full: Size, smallest: Size): Size {
  return isSmallest ? smallest : full;
}
