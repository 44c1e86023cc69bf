/** True in `npm run test:long`, where suites run every kill point and every generated case instead of a sample. */
export function isLongRun(): boolean {
  return process.env['ORGCTX_TEST_LONG'] === 'true';
}

/** Returns `sample` in `npm test` and `all` in `npm run test:long`. */
export function sampleSize<Size>({ sample, all }: { readonly sample: Size; readonly all: Size }): Size {
  return isLongRun() ? all : sample;
}
