/** The minimum version of Node. `engines` of package.json has the same (a test compares them). */
const minVersion = { major: 24, minor: 11 };

/**
 * Returns an error message if Node is too old, with installation hints; `undefined` if it is supported. `version` has
 * the format of `process.versions.node`. A version that cannot be parsed counts as too old.
 */
export function nodeVersionError(version: string): string | undefined {
  const [major = Number.NaN, minor = Number.NaN] = version.split('.').map(Number);
  const suffices = major > minVersion.major || (major === minVersion.major && minor >= minVersion.minor);
  return suffices ? undefined : explain(version);
}

function explain(version: string): string {
  const needed = `${minVersion.major}.${minVersion.minor}`;
  return [
    `orgctx needs Node ${needed} or newer; this is Node ${version}.`,
    '',
    'Install it:',
    '  https://nodejs.org/en/download',
    `  nvm install ${minVersion.major}      (or: fnm install ${minVersion.major}, volta install node@${minVersion.major})`,
    '',
    'In a clone of the source, `npm ci` installs a suitable Node and `npm start` uses it.',
    '',
  ].join('\n');
}
