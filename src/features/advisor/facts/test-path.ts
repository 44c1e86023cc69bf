const testPath =
  /(?:^|[/:])(?:\w+-)?(?:tests?|__tests__|specs?|e2e|bench(?:marks?)?|examples?|fixtures?)(?:-\w+)?\/|[._-](?:test|spec)\.\w+(?:$|#)|(?:^|[/:])test_[^/]*$/iu;

/** Returns whether a path or key names a test, benchmark or sample. */
export function isTestPath(path: string): boolean {
  return testPath.test(path);
}
