/**
 * Environment of started programs that lets them share compiled code (NODE_COMPILE_CACHE, set by `npm test`): most of
 * what a short program costs is loading its modules.
 */
export function compileCache(): Readonly<Record<string, string>> {
  const folder = process.env['NODE_COMPILE_CACHE'];
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
