/** The oldest Node that runs orgctx: `engines` of package.json says the same (a test compares them). */
const oldest = { major: 24, minor: 11 };

/**
 * Why this Node cannot run orgctx, and how to get one that can; `undefined` when it can. `version` as in
 * `process.versions.node`. A version that cannot be read counts as too old.
 */
export function nodeFault(version: string): string | undefined {
  const [major = Number.NaN, minor = Number.NaN] = version.split('.').map(Number);
  const suffices = major > oldest.major || (major === oldest.major && minor >= oldest.minor);
  return suffices ? undefined : explain(version);
}

function explain(version: string): string {
  const needed = `${oldest.major}.${oldest.minor}`;
  return [
    `orgctx needs Node ${needed} or newer; this is Node ${version}.`,
    '',
    'Get one:',
    '  https://nodejs.org/en/download',
    `  nvm install ${oldest.major}      (or: fnm install ${oldest.major}, volta install node@${oldest.major})`,
    '',
    'In a clone of the source `npm ci` brings a suitable Node, and `npm start` uses it.',
    '',
  ].join('\n');
}
